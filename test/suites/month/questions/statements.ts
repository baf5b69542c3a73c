/** Each account's statement: what it begins and ends with, every movement between, as JSON pages and as CSV. */
import assert from 'node:assert/strict';
import { forEachAtOnce } from '../at-once.ts';
import { OCTOBER, PERIODS, type Period, queryOf } from '../calendar.ts';
import { type LedgerAccount, type Movement, movementsIn, openingMicros, sumOf, usdt } from '../ledger.ts';
import type { Month } from '../month.ts';
import { assertSameRows } from './rows.ts';

interface MovementRow {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly amountUsdt: number;
  readonly balanceUsdt: number;
  readonly orderId?: number;
  readonly reference?: string;
  readonly operator?: string;
  readonly reason?: string;
}

interface Statement {
  readonly openingUsdt: number;
  readonly closingUsdt: number;
  readonly movements: readonly MovementRow[];
  readonly position: { readonly seq: number; readonly hash: string } | null;
  readonly nextCursor?: string;
}

const CSV = { accept: 'text/csv' };
/** Small, so that there are several pages; and of many movements the largest that there is. */
const PAGE = 37;
const PAGE_OF_MANY = 1_000;

export async function movementsProveBalances(month: Month): Promise<void> {
  const { ledger, random, isLong } = month;
  await forEachAtOnce(random.sample(ledger.accounts, isLong ? 10 : 3), async (account) => {
    for (const period of PERIODS) await compare(month, account, period);
  });
}

export async function everyAccountClosesTheMonth(month: Month): Promise<void> {
  const { shop, ledger } = month;
  await forEachAtOnce(ledger.accounts, async (account) => {
    await compare(month, account, { title: 'October', ...OCTOBER });
    const row = await shop.tell<{ balanceUsdt: number }>('dora', 'GET', `/accounts/${account.accountId}`);
    assert.equal(row.balanceUsdt, usdt(account.balanceMicros), `the wallet of ${account.accountId}`);
  });
}

export async function jsonIsTheSameForEver({ shop, ledger, random }: Month): Promise<void> {
  const path = pathOf(random.pick(ledger.accounts), OCTOBER);
  const [first, second] = [await shop.tell('dora', 'GET', path), await shop.tell('carla', 'GET', path)];
  assert.notEqual(first.requestId, second.requestId);
  assert.deepEqual({ ...first, requestId: '' }, { ...second, requestId: '' });
}

/** As on the first day after it, whoever asks, and though the node was killed since. */
export async function csvIsTheSameForEver({ shop, ledger }: Month): Promise<void> {
  assert.ok(ledger.statements.size > 0);
  for (const account of ledger.accounts) {
    const before = ledger.statements.get(account.accountId);
    if (before === undefined) continue;
    const { text } = await shop.ask('carla', 'GET', pathOf(account, OCTOBER), undefined, CSV);
    assert.ok(text === before, `the CSV of account ${account.accountId} has changed`);
  }
}

export async function csvHasAllMovements({ shop, ledger, random, isLong }: Month): Promise<void> {
  for (const account of random.sample(ledger.accounts, isLong ? 10 : 3)) {
    const { text } = await shop.ask('dora', 'GET', pathOf(account, OCTOBER), undefined, CSV);
    const [head = [], ...rows] = parseCsv(text);
    const movements = movementsIn(account, { title: '', ...OCTOBER });
    const [amount, balance] = [head.indexOf('amountUsdt'), head.indexOf('balanceUsdt')];
    assert.ok(amount >= 0 && balance >= 0, `the CSV begins with ${head.join()}`);
    let balanceMicros = openingMicros(account, { title: '', ...OCTOBER });
    const expected = movements.map(({ micros }) => {
      balanceMicros += micros;
      return [usdt(micros), usdt(balanceMicros)];
    });
    const told = rows.map((row) => [Number(row[amount]), Number(row[balance])]);
    assertSameRows(told, expected, `the CSV of ${account.accountId}`);
  }
}

async function compare({ shop }: Month, account: LedgerAccount, period: Period): Promise<void> {
  const title = `account ${account.accountId}, ${period.title}`;
  const movements = movementsIn(account, period);
  const limit = movements.length > 1_000 ? PAGE_OF_MANY : PAGE;
  const rows: MovementRow[] = [];
  let first: Statement | undefined;
  let cursor: string | undefined;
  do {
    const further = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await shop.tell<Statement>(
      'dora',
      'GET',
      `${pathOf(account, period)}&limit=${limit}${further}`,
    );
    first ??= page;
    rows.push(...page.movements);
    assert.deepEqual(page.closingUsdt, first.closingUsdt, title);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  const opening = openingMicros(account, period);
  assert.equal(first.openingUsdt, usdt(opening), `${title}: opening`);
  assert.equal(first.closingUsdt, usdt(opening + sumOf(movements)), `${title}: closing`);
  let balanceMicros = opening;
  const expected = movements.map((movement) => {
    balanceMicros += movement.micros;
    return { ...fieldsOf(movement), balanceUsdt: usdt(balanceMicros) };
  });
  assertSameRows(rows.map(withoutPlace), expected, title);
  assertAscending(rows, title);
  const last = rows.at(-1);
  if (last === undefined) return;
  assert.equal(first.position?.seq, last.seq, `${title}: its position`);
  assert.match(first.position?.hash ?? '', /^[0-9a-f]{16,}$/);
}

function fieldsOf({ kind, micros, orderId, reference, operator, reason }: Movement): object {
  return {
    kind,
    amountUsdt: usdt(micros),
    ...(orderId === undefined ? {} : { orderId }),
    ...(reference === undefined ? {} : { reference }),
    ...(operator === undefined ? {} : { operator }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** When exactly, only the node knows; of holds the ledger doesn't know what they are called. */
function withoutPlace({ seq: _, at: __, ...row }: MovementRow): object {
  if (row.kind !== 'hold' && row.kind !== 'release') return row;
  const { reference: ___, orderId: ____, ...rest } = row;
  return rest;
}

function assertAscending(rows: readonly MovementRow[], title: string): void {
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1];
    assert.ok(before === undefined || (before.seq < row.seq && before.at <= row.at), `${title}: the order`);
  }
}

function pathOf({ accountId }: LedgerAccount, period: Pick<Period, 'from' | 'to'>): string {
  return `/accounts/${accountId}/statement?${queryOf(period)}`;
}

/** RFC 4180: quoted fields may have commas, quotes twice, and line breaks. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    if (end === '' && quoted === undefined && plain === '' && row.length === 0) break;
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
