/**
 * GET /reports/money: deposits, sales, refunds and holds over a period, by day, product or account.
 *
 * Invariant: deposits − sales + refunds − change of holds = change of the wallets, exactly, and over all time they are
 * the ledger of GET /status. Days are those of a zone (`timeZone`). Sums that the fold keeps (`day-sums.ts`) make up the
 * period; what is left at its ends is summed from the journal, once for all pages, which takes a second for each million
 * of its facts.
 */

import { type MoneySums, walletsMicros } from '../../../engine/apply/money-change.ts';
import { usdtFromMicros } from '../../../engine/money.ts';
import type { SumsOf } from '../../../persistence/checkpoint/day-sums.ts';
import type { Fields } from '../../../views/operator-views.ts';
import { badRequest } from '../../errors.ts';
import { BAD_CURSOR, BUSY, fromCheckpoint } from '../checkpoint-answer.ts';
import { parseZonedPeriod, ZONED_PERIOD_QUERY } from '../moment.ts';
import type { OperatorContext } from '../operator-context.ts';
import { type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { PAGE_QUERY } from '../page.ts';
import { FINANCE } from '../roles.ts';
import { dateOf } from '../time-zone.ts';
import { REPORT_MONEY } from './money-operations.ts';
import { PeriodEdges } from './period-edges.ts';
import { type MoneyRow, moneyInPeriod } from './period-money.ts';

type Services = Pick<OperatorServices, 'engine' | 'checkpointer' | 'checkpoint' | 'feed'>;

/** Values of the query's `by`, and the sums that each has rows of. */
const ROWS_BY: Readonly<Record<string, SumsOf>> = {
  day: 'node',
  product: 'product',
  productId: 'product',
  account: 'account',
  accountId: 'account',
};

const BY = {
  type: 'string',
  enum: Object.keys(ROWS_BY),
  description: 'What there is a row for. Default: `day`.',
} as const;

export function moneyReportRoutes(services: Services): OperatorRoute[] {
  const edges = new PeriodEdges(services.feed);
  return [
    operatorRoute('GET /reports/money', REPORT_MONEY, (context) => answer(context, services, edges), {
      roles: FINANCE,
      query: { ...ZONED_PERIOD_QUERY, by: BY, ...PAGE_QUERY },
    }),
  ];
}

function answer(context: OperatorContext, services: Services, edges: PeriodEdges): void {
  const { checkpoint } = services;
  const period = parseZonedPeriod(context.query);
  if ('error' in period) return context.fail(period.error);
  const by = context.query.get('by') ?? 'day';
  const of = Object.hasOwn(ROWS_BY, by) ? ROWS_BY[by] : undefined;
  if (of === undefined) return context.fail(badRequest('by must be day, product or account.'));
  context.withPage((page) =>
    fromCheckpoint(context, services, async () => {
      const money = await moneyInPeriod({ checkpoint, edges }, { ...period, of, page });
      if (money === 'busy') return context.fail(BUSY);
      if (money === 'bad cursor') return context.fail(BAD_CURSOR);
      context.succeed(200, {
        timeZone: period.zone.name,
        ...sumsView(money.total),
        rows: money.rows.map((row) => ({ ...nameOf(of, row), ...sumsView(row.sums) })),
        ...money.nextCursor,
      });
    }),
  );
}

function nameOf(of: SumsOf, { id }: MoneyRow): Fields {
  if (of === 'product') return { productId: id };
  if (of === 'account') return { accountId: id };
  return { day: dateOf(id) };
}

function sumsView(sums: MoneySums): Fields {
  return {
    depositsUsdt: usdtFromMicros(sums.depositsMicros),
    salesUsdt: usdtFromMicros(sums.salesMicros),
    refundsUsdt: usdtFromMicros(sums.refundsMicros),
    heldUsdt: usdtFromMicros(sums.heldMicros),
    walletsUsdt: usdtFromMicros(walletsMicros(sums)),
  };
}
