/**
 * Debits that wait for a credit that was lost (docs/decisions/0032) are moved as soon as a wallet has got money.
 *
 * What always holds: the engine decides whether the wallet has enough, in its turn; here it is only asked. A debit for which
 * there isn't enough waits for the next credit.
 */
import type { Engine } from './engine/engine.ts';
import type { Fact } from './engine/fact.ts';

export class DebitSettlement {
  readonly #engine: Pick<Engine, 'state' | 'submit'>;

  constructor(engine: Pick<Engine, 'state' | 'submit'>) {
    this.#engine = engine;
  }

  /** After facts that are durable: those that brought money. */
  look(facts: readonly Fact[]): void {
    if (this.#engine.state.waitingDebits.size === 0) return;
    const accounts = new Set(facts.flatMap(accountWithMoney));
    if (accounts.size > 0) this.settle((accountId) => accounts.has(accountId));
  }

  /** All for which wallets have enough: at a start, too. */
  settle(isOf: (accountId: number) => boolean = () => true): void {
    const { accounts, waitingDebits } = this.#engine.state;
    for (const { orderId, accountId, amountMicros } of [...waitingDebits.values()]) {
      if (!isOf(accountId) || (accounts.get(accountId)?.walletMicros ?? 0) < amountMicros) continue;
      this.#engine.submit({ kind: 'SettleDebit', accountId, orderId }, () => {});
    }
  }
}

function accountWithMoney(fact: Fact): number[] {
  switch (fact.kind) {
    case 'WalletCredited':
      return [fact.credit.accountId];
    case 'OrderRefunded':
    case 'OrderFailed':
      return [fact.order.accountId];
    case 'HoldReleased':
      return [fact.accountId];
    default:
      return [];
  }
}
