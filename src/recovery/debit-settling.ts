/**
 * Moves the money for which debits of recovered orders wait, once their wallets have it: after a fact that puts money into
 * one, and at start, for a node may have been killed between the two.
 */

import { moneyChangeOf, walletChangeMicros } from '../engine/apply/money-change.ts';
import type { Fact } from '../engine/fact.ts';
import type { Engine } from '../engine/loop/engine.ts';
import type { Origin } from '../engine/origin.ts';
import type { WaitingDebit } from '../engine/recovery/waiting-debits.ts';

type Settling = Pick<Engine, 'state' | 'submit'>;

/**
 * Settles the waiting debits of one account, or of all, that can be paid, the oldest first. Resolves when none can be
 * paid any more.
 */
export function settleDebits(engine: Settling, accountId?: number, origin?: Origin): Promise<void> {
  return settleThose(
    engine,
    (debit) => accountId === undefined || debit.accountId === accountId,
    () => origin,
  );
}

/**
 * Settles debits of the wallets that one of these facts, which are durable, put money into: by a credit, a refund, a
 * released hold.
 */
export async function settleAfter(engine: Settling, facts: readonly Fact[]): Promise<void> {
  if (engine.state.waitingDebits.size === 0) return;
  const origins = new Map<number, Origin | undefined>();
  for (const fact of facts) {
    const change = moneyChangeOf(fact);
    if (change !== undefined && walletChangeMicros(change) > 0) origins.set(change.accountId, fact.origin);
  }
  if (origins.size === 0) return;
  const isAsked = ({ accountId }: WaitingDebit) => origins.has(accountId);
  await settleThose(engine, isAsked, ({ accountId }) => origins.get(accountId));
}

/** One after the other, so that no mailbox gets more than one from here. */
async function settleThose(
  engine: Settling,
  isAsked: (debit: WaitingDebit) => boolean,
  originOf: (debit: WaitingDebit) => Origin | undefined,
): Promise<void> {
  for (const debit of [...engine.state.waitingDebits.values()]) {
    if (isAsked(debit) && canBePaid(engine, debit)) await settle(engine, debit, originOf(debit));
  }
}

function canBePaid({ state }: Settling, { accountId, amountMicros }: WaitingDebit): boolean {
  return (state.accounts.get(accountId)?.walletMicros ?? 0) >= amountMicros;
}

/** Settles one debit. A refused one, because the money has gone meanwhile or the disk is full, waits on. */
function settle(
  engine: Pick<Engine, 'submit'>,
  { accountId, orderId }: WaitingDebit,
  origin: Origin | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    engine.submit({ kind: 'SettleDebit', accountId, orderId }, () => resolve(), origin);
  });
}
