/** Effects of facts about deposits on the state. */
import type { Effects } from '../apply/moves.ts';
import { ANY_ACCOUNT } from '../decide/idempotency.ts';
import type { FactOf } from '../fact.ts';
import type { State } from '../state.ts';

export const depositEffects = {
  DepositOpened(state, { deposit, drops = [], atMs }) {
    for (const depositId of drops) state.deposits.delete(depositId);
    state.deposits.add({ ...deposit, createdAtMs: atMs });
    state.lastDepositId = deposit.depositId;
  },
  TransferUnclaimed(state, { transfer, replaces, atMs }) {
    if (replaces !== undefined) state.transfers.delete(replaces);
    // The fact's own position.
    state.transfers.add({ ...transfer, position: state.position + 1, seenAtMs: atMs });
  },
} satisfies Partial<Effects>;

/** The transfer is credited from now on, and nobody waits for it. */
export function takeTransfer(state: State, { credit, transfer }: FactOf<'WalletCredited'>): void {
  if (transfer === undefined) return;
  const { reference } = credit;
  if (transfer.depositId !== undefined) state.deposits.pay(transfer.depositId, reference);
  state.transfers.delete(reference);
  state.idempotency.addCredit(credit, ANY_ACCOUNT);
}
