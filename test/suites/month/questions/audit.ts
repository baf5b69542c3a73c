/** Who did what, when and why: each operator's deeds, all of them and no others. */
import assert from 'node:assert/strict';
import { isIn, PERIODS, queryOf } from '../calendar.ts';
import type { Deed } from '../ledger.ts';
import { assertSameRows, type Month } from '../month.ts';
import { STAFF } from '../staff.ts';

interface AuditRow {
  readonly seq: number;
  readonly at: number;
  readonly operator: string;
  readonly action: string;
  readonly reason?: string;
  readonly requestId: string;
  readonly accountId?: number;
  readonly productId?: number;
  readonly orderId?: number;
}

export async function byFilters(month: Month): Promise<void> {
  const { ledger, random } = month;
  for (const operator of ['root', ...STAFF.map(({ name }) => name)]) {
    await compare(month, `operator=${operator}`, (deed) => deed.operator === operator);
  }
  for (const { accountId } of random.sample(ledger.accounts, 4)) {
    await compare(month, `accountId=${accountId}`, (deed) => deed.accountId === accountId);
  }
  for (const period of PERIODS) {
    const query = queryOf(period);
    await compare(month, query, ({ shift }) => isIn(period, shift));
    await compare(
      month,
      `${query}&operator=carla`,
      (deed) => deed.operator === 'carla' && isIn(period, deed.shift),
    );
  }
}

/** In which order two operators' deeds were done at the same time, only the node knows. */
async function compare(
  { shop, ledger }: Month,
  query: string,
  isWanted: (deed: Deed) => boolean,
): Promise<void> {
  const deeds = ledger.deeds.filter(isWanted);
  const path = `/audit?${query}`;
  const rows = await shop.all<AuditRow>('dora', path, 'entries', 500);
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1];
    assert.ok(before === undefined || (before.seq > row.seq && before.at >= row.at), `${path}: newest first`);
  }
  const known = new Set(deeds.flatMap(({ requestId }) => requestId ?? []));
  const told = rows.map((row) => lineOf(row, known.has(row.requestId) ? row.requestId : 'lost'));
  const wanted = deeds.map((deed) => lineOf(deed, deed.requestId ?? 'lost'));
  assertSameRows(told.sort(), wanted.sort(), path);
}

type Told = Pick<Deed, 'action' | 'reason' | 'accountId' | 'productId' | 'orderId'> & {
  readonly operator: string;
};

/** A text, so that lines can be sorted. What else it is about depends on the deed. */
function lineOf({ operator, action, reason, accountId, orderId }: Told, requestId: string): string {
  return JSON.stringify({ requestId, operator, action, reason, accountId, orderId });
}
