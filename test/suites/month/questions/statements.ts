/** Each account's statement: what it begins and ends with, every movement between, as JSON pages and as CSV. */
import assert from 'node:assert/strict';
import { OCTOBER, PERIODS, type Period, queryOf } from '../calendar.ts';
import { type LedgerAccount, type Movement, movementsIn, openingMicros, sumOf, usdt } from '../ledger.ts';
import type { Month } from '../month.ts';

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

/** Small, so that there are several pages; and of many movements the largest that there is. */
const PAGE = 37;
const PAGE_OF_MANY = 1_000;

/** Some accounts for each period, and all for October; each wallet is as the last movement says. */
export async function movementsProveBalances(month: Month): Promise<void> {
  const { shop, ledger, random } = month;
  for (const account of random.sample(ledger.accounts, 3)) {
    for (const period of PERIODS) await compare(month, account, period);
  }
  for (const account of ledger.accounts) {
    await compare(month, account, OCTOBER);
    const row = await shop.tell<{ balanceUsdt: number }>('dora', 'GET', `/accounts/${account.accountId}`);
    assert.equal(row.balanceUsdt, usdt(account.balanceMicros), `the wallet of ${account.accountId}`);
  }
}

/** As on the first day after it, whoever asks, and though the node was killed since. */
export async function csvIsTheSameForEver({ shop, ledger }: Month): Promise<void> {
  assert.ok(ledger.statements.size > 0);
  for (const account of ledger.accounts) {
    const before = ledger.statements.get(account.accountId);
    if (before === undefined) continue;
    const path = pathOf(account, OCTOBER);
    const { text } = await shop.ask('carla', 'GET', path, undefined, { accept: 'text/csv' });
    assert.ok(text === before, `the CSV of account ${account.accountId} has changed`);
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
  // One row after the other: the difference of two long lists as a whole takes for ever.
  assert.equal(rows.length, expected.length, title);
  for (const [at, row] of rows.entries())
    assert.deepEqual(withoutPlace(row), expected[at], `${title}: row ${at}`);
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
  if (row.kind !== 'hold') return row;
  const { reference: ___, orderId: ____, ...rest } = row;
  return rest;
}

function assertAscending(rows: readonly MovementRow[], title: string): void {
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1];
    assert.ok(before === undefined || (before.seq < row.seq && before.at <= row.at), `${title}: the order`);
  }
}

function pathOf({ accountId }: LedgerAccount, period: Period): string {
  return `/accounts/${accountId}/statement?${queryOf(period)}`;
}
