/** The sums of the month: deposits − sales + refunds − change of what is held = change of the wallets. */
import assert from 'node:assert/strict';
import { dayOf, isIn, PERIODS, queryOf } from '../calendar.ts';
import { type Entry, usdt } from '../ledger.ts';
import type { Month } from '../month.ts';

interface Sums {
  readonly depositsUsdt?: number;
  readonly salesUsdt?: number;
  readonly refundsUsdt?: number;
  readonly heldUsdt?: number;
  readonly walletsUsdt?: number;
}

interface ReportRow extends Sums {
  readonly day?: string;
  readonly productId?: number;
  readonly accountId?: number;
}

type Report = Sums & { readonly rows: readonly ReportRow[] };

/** The name of each row's key, and the key of an entry. */
const KEYS = {
  day: ({ shift }: Entry) => dayOf(shift),
  product: ({ productId }: Entry) => productId,
  account: ({ accountId }: Entry) => accountId,
} as const;
const NAMES = { day: 'day', product: 'productId', account: 'accountId' } as const;

export async function equationOfEachPeriod(month: Month): Promise<void> {
  const { shop, ledger } = month;
  for (const period of PERIODS) {
    const entries = ledger.entries.filter(({ shift }) => isIn(period, shift));
    for (const by of ['day', 'product', 'account'] as const) {
      const path = `/reports/money?${queryOf(period)}&by=${by}`;
      const report = await shop.tell<Report>('carla', 'GET', path);
      assert.deepEqual(sumsOf(report), expected(month, entries), path);
      compareRows(month, report.rows, entries, by, path);
    }
  }
}

/** Compares rows. A sum without entries, such as deposits of a product, may be left out or be 0. */
function compareRows(
  month: Month,
  rows: readonly ReportRow[],
  entries: readonly Entry[],
  by: keyof typeof KEYS,
  path: string,
): void {
  const groups = new Map<string | number | undefined, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(KEYS[by](entry));
    if (group === undefined) groups.set(KEYS[by](entry), [entry]);
    else group.push(entry);
  }
  const told = new Map(rows.map((row) => [row[NAMES[by]], row]));
  assert.equal(told.size, rows.length, `${path}: a row twice`);
  for (const [key, group] of groups) {
    if (key === undefined) continue;
    const { walletsUsdt: _, ...sums } = sumsOf(told.get(key) ?? {});
    const { walletsUsdt: __, ...wanted } = expected(month, group);
    assert.deepEqual(sums, wanted, `${path}: ${key}`);
    told.delete(key);
  }
  for (const [key, row] of told) {
    if (key !== undefined) assert.deepEqual(sumsOf(row), sumsOf({}), `${path}: ${key} has nothing`);
  }
}

function sumsOf(row: Sums): Required<Sums> {
  const { depositsUsdt = 0, salesUsdt = 0, refundsUsdt = 0, heldUsdt = 0, walletsUsdt = 0 } = row;
  return { depositsUsdt, salesUsdt, refundsUsdt, heldUsdt, walletsUsdt };
}

function expected({ ledger }: Month, entries: readonly Entry[]): Required<Sums> {
  const [deposits, sales] = [ledger.sum('deposit', entries), ledger.sum('sale', entries)];
  const [refunds, held] = [ledger.sum('refund', entries), ledger.sum('hold', entries)];
  return {
    depositsUsdt: usdt(deposits),
    salesUsdt: usdt(sales),
    refundsUsdt: usdt(refunds),
    heldUsdt: usdt(held),
    walletsUsdt: usdt(deposits - sales + refunds - held),
  };
}
