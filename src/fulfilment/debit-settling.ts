/**
 * Moves the money for which debits of recovered orders wait, once their wallets have it: after a credit, and at start,
 * for a node may have been killed between the two.
 */
import type { Engine } from '../engine/engine.ts';
import type { Origin } from '../engine/origin.ts';
import type { WaitingDebit } from '../engine/waiting-debits.ts';

/** Of one account, or of all: those that can be paid, the oldest first. Resolves when what could be has been. */
export async function settleDebits(
  engine: Pick<Engine, 'state' | 'submit'>,
  accountId?: number,
  origin?: Origin,
): Promise<void> {
  const { waitingDebits } = engine.state;
  if (waitingDebits.size === 0) return;
  const waiting = [...waitingDebits.values()];
  for (const debit of waiting) {
    const isAsked = accountId === undefined || debit.accountId === accountId;
    if (isAsked && canBePaid(engine, debit)) await settle(engine, debit, origin);
  }
}

function canBePaid({ state }: Pick<Engine, 'state'>, { accountId, amountMicros }: WaitingDebit): boolean {
  return (state.accounts.get(accountId)?.walletMicros ?? 0) >= amountMicros;
}

/** What is refused, because the money has gone meanwhile or the disk is full, waits on. */
function settle(
  engine: Pick<Engine, 'submit'>,
  { accountId, orderId }: WaitingDebit,
  origin: Origin | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    engine.submit({ kind: 'SettleDebit', accountId, orderId }, () => resolve(), origin);
  });
}
