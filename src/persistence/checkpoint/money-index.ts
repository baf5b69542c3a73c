/** What the fold keeps of money: movements and sums by day, of which both take what a fact moves, found out once. */
import type { Fact } from '../../engine/fact.ts';
import { moneyChangeOf } from '../../engine/money-change.ts';
import { AccountMovements } from './account-movements.ts';
import type { CheckpointTables } from './checkpoint-tables.ts';
import { DaySums } from './day-sums.ts';

export class MoneyIndex {
  readonly #movements: AccountMovements;
  readonly #sums: DaySums;

  constructor({ movements, daySums }: Pick<CheckpointTables, 'movements' | 'daySums'>) {
    this.#movements = new AccountMovements(movements);
    this.#sums = new DaySums(daySums);
  }

  take(fact: Fact, position: number): void {
    const change = moneyChangeOf(fact);
    if (change === undefined) return;
    this.#movements.take(change, fact, position);
    this.#sums.take(change, fact);
  }

  flush(): void {
    this.#movements.flush();
    this.#sums.flush();
  }
}
