/**
 * What facts come to beside the state's tables: how many rows and which sums they leave in the checkpoint. `purser verify`
 * holds the checkpoint's history against them.
 *
 * What always holds: sums of a beginning, saved, and the facts behind it give the same as all facts together. So whoever
 * has the saved ones needs the facts behind them only. Each order's row, lot and credit is compared with its fact by
 * `checkpoint-check.ts`, which needs the facts; here is what can be said without them.
 */
import { createHash } from 'node:crypto';
import type { Fact, FactOf } from '../../engine/fact.ts';
import { keyHash } from '../../engine/key-filter.ts';
import { refOfOrder, refOfRefusal } from '../../engine/key-ref.ts';
import { NO_KEY } from '../../engine/orders.ts';
import type { State } from '../../engine/state.ts';
import type { CheckpointTables } from '../checkpoint/checkpoint-tables.ts';
import { KeySum, type SavedSum } from '../checkpoint/key-audit.ts';
import { MoneyCheck, type SavedMoney } from '../checkpoint/money-check.ts';
import { OrderIndexAudit, type SavedOrderIndex } from '../checkpoint/order-index-audit.ts';
import { RowAudit, type SavedRows } from '../checkpoint/row-audit.ts';
import { canonicalTables } from '../state-tables.ts';

/** Facts that give a key its order. */
const OUTCOMES: readonly Fact['kind'][] = ['OrderPlaced', 'HoldCaptured', 'OrderRecovered'];

type NamedFile = Pick<FactOf<'ProductFileSet'>, 'productId' | 'file'>;

export interface SavedSums {
  readonly keys: SavedSum;
  readonly rows: SavedRows;
  readonly money: SavedMoney;
  readonly orderIndex: SavedOrderIndex;
  /** Of products, all that there ever were. */
  readonly files: readonly NamedFile[];
}

export class HistorySums {
  readonly keys: KeySum;
  readonly rows: RowAudit;
  readonly money: MoneyCheck;
  readonly orderIndex: OrderIndexAudit;
  readonly #files: NamedFile[];

  /** With tables, days and the audit are held against them, fact by fact. `saved`: of the facts before. */
  constructor(tables?: CheckpointTables, saved?: SavedSums) {
    this.keys = new KeySum(saved?.keys);
    this.rows = new RowAudit(saved?.rows);
    this.money = new MoneyCheck(tables, saved?.money);
    this.orderIndex = new OrderIndexAudit(saved?.orderIndex);
    this.#files = [...(saved?.files ?? [])];
  }

  get saved(): SavedSums {
    const { keys, rows, money, orderIndex } = this;
    return {
      keys: keys.saved,
      rows: rows.saved,
      money: money.saved,
      orderIndex: orderIndex.saved,
      files: this.#files,
    };
  }

  /** `replayed` is the state right after the fact. */
  add(fact: Fact, replayed: State): void {
    const { position } = replayed;
    this.rows.add(fact);
    this.money.add(fact, replayed);
    this.orderIndex.add(fact, position);
    if (fact.kind === 'ProductFileSet') this.#files.push({ productId: fact.productId, file: fact.file });
    const key = keyIn(fact, position);
    if (key !== undefined) this.keys.add(key.hash, key.ref);
  }
}

/** The key that the fact gives an outcome; undefined when there is none. */
export function keyIn(fact: Fact, position: number) {
  if ('order' in fact) {
    const { accountId, idempotencyKey, orderId } = fact.order;
    if (!OUTCOMES.includes(fact.kind) || idempotencyKey === NO_KEY) return undefined;
    return { idempotencyKey, accountId, hash: keyHash(accountId, idempotencyKey), ref: refOfOrder(orderId) };
  }
  if (!('refusal' in fact) || fact.refusal === null) return undefined;
  const { accountId, idempotencyKey } = fact.refusal;
  return { idempotencyKey, accountId, hash: keyHash(accountId, idempotencyKey), ref: refOfRefusal(position) };
}

/** Another number whenever the lines below, the sums or the tables of a baseline's file become others. */
export const BASELINE_FORMAT = 1;

/** The hash that a baseline names: of the tables, the sums, and with the journal's own hash every fact. Hexadecimal SHA-256. */
export function baselineDigest(state: State, sums: SavedSums, journalHash: string): string {
  const hash = createHash('sha256').update(`baseline ${BASELINE_FORMAT}\n`);
  for (const line of canonicalTables(state)) hash.update(`${line}\n`);
  hash.update(`sums ${JSON.stringify(sums)}\n`);
  return hash.update(`journal ${journalHash}\n`).digest('hex');
}
