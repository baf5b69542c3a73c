/**
 * Purchases at suppliers that are open, or have ended lately: GET /supplier-purchases,
 * POST /supplier-purchases/reconcile and POST /supplier-purchases/{reference}/give-up.
 *
 * Giving up closes an unresolved purchase without the supplier's answer. Nothing enters own stock, and the supplier is
 * asked no more; what it reports later is a late delivery like any other. A repeated request gets the same answer, as long as the
 * purchase is among the recently ended ones.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { State } from '../../../engine/state.ts';
import type { EndedSupplierPurchase } from '../../../engine/supplying/ended-supplier-purchases.ts';
import type { SupplierPurchase } from '../../../engine/supplying/supplier-purchases.ts';
import { type Fields, supplierPurchaseView } from '../../../views/operator-views.ts';
import { type ApiError, apiError } from '../../errors.ts';
import { ALL_TIME, PERIOD_QUERY, type Period, within } from '../moment.ts';
import { noFields } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import { bodyRoute, type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { PAGE_QUERY, type Page, pageOf } from '../page.ts';
import { OWNERS } from '../roles.ts';
import { GIVE_UP, LIST_SUPPLIER_PURCHASES, RECONCILE } from './supplier-operations.ts';

const FIRST_PAGE: Page = { after: 0, limit: 1_000 };
/** A round may take longer, when much is open or suppliers are silent: it goes on, and the answer comes. */
const MAX_ROUND_MS = 20_000;

const NO_SUPPLIER_PURCHASE = apiError(
  'NOT_FOUND',
  'No supplier purchase with this reference is open or has ended recently. Check the reference.',
);
const BUSY = apiError('NOT_READY', 'An answer of the supplier is being processed: try again in a second.');

export function supplierPurchaseRoutes({ engine, suppliers }: OperatorServices): OperatorRoute[] {
  const list = (context: OperatorContext, period: Period, page: Page) =>
    context.succeedWhenDurable(200, supplierPurchaseLists(engine.state, period, page));
  return [
    operatorRoute(
      'GET /supplier-purchases',
      LIST_SUPPLIER_PURCHASES,
      (context) => context.withPeriodPage((period, page) => list(context, period, page)),
      { query: { ...PERIOD_QUERY, ...PAGE_QUERY } },
    ),
    bodyRoute('POST /supplier-purchases/reconcile', RECONCILE, OWNERS, noFields(), (context) =>
      context.run(async () => {
        await context.record({ action: 'SuppliersAsked' });
        await Promise.race([suppliers.askAll(), delay(MAX_ROUND_MS, undefined, { ref: false })]);
        list(context, ALL_TIME, FIRST_PAGE);
      }),
    ),
    bodyRoute('POST /supplier-purchases/{name}/give-up', GIVE_UP, OWNERS, noFields(), (context) =>
      context.run(async () => {
        const open = engine.state.supplierPurchases.ofReference(context.name);
        const ended = open?.phase === 'unresolved' ? await suppliers.giveUp(open, context.origin) : undefined;
        if (ended === undefined) tellHowItIs(context, engine.state);
        else context.succeed(200, endedFields(ended));
      }),
    ),
  ];
}

/** Answers with the purchase's state, when this request has ended nothing. */
function tellHowItIs(context: OperatorContext, state: State): void {
  const ended = state.endedSupplierPurchases.ofReference(context.name);
  if (ended?.result === 'given-up') context.succeedWhenDurable(200, endedFields(ended));
  else context.failWhenDurable(whyNot(ended, state.supplierPurchases.ofReference(context.name)));
}

function whyNot(ended: EndedSupplierPurchase | undefined, open: SupplierPurchase | undefined): ApiError {
  if (ended !== undefined) return notAllowed(`It has ended: its supplier said ${ended.result}.`);
  if (open?.phase === 'held') return notAllowed('Its supplier is being asked at this moment.');
  if (open?.phase === 'pending') {
    return notAllowed('An order waits for it: complete, fail or refund that, then give this up.');
  }
  return open === undefined ? NO_SUPPLIER_PURCHASE : BUSY;
}

function notAllowed(message: string): ApiError {
  return apiError('TRANSITION_NOT_ALLOWED', message);
}

/**
 * Purchases of the period: a page of the open ones by number, and with the first page those that have ended lately, the
 * latest first. The table is walked as it lies, up to the page's end: its rows are in order, and there are
 * `MAX_SUPPLIER_PURCHASES` at most.
 */
function supplierPurchaseLists(state: State, period: Period, page: Page): Fields {
  const rows = within(period, state.supplierPurchases.values(), (row) => row.createdAtMs);
  const open = pageOf(rows, page, (row) => row.supplierPurchaseId);
  const latest = page.after > 0 ? [] : state.endedSupplierPurchases.values().toReversed();
  const ended = Array.from(
    within(period, latest, ({ supplierPurchase }) => supplierPurchase.createdAtMs),
    endedFields,
  );
  return {
    supplierPurchases: open.rows.map((row) => ({ ...supplierPurchaseFields(row), phase: row.phase })),
    ended,
    ...open.nextCursor,
  };
}

function endedFields(ended: EndedSupplierPurchase): Fields {
  const { supplierPurchase, result, delivered, count, endedAtMs } = ended;
  const items = { itemsDelivered: delivered, itemsIntoStock: count };
  return { ...supplierPurchaseFields(supplierPurchase), result, ...items, endedAt: endedAtMs };
}

function supplierPurchaseFields(supplierPurchase: SupplierPurchase): Fields {
  const { cause, createdAtMs } = supplierPurchase;
  return {
    ...supplierPurchaseView(supplierPurchase),
    ...(cause === null ? {} : { cause }),
    createdAt: createdAtMs,
  };
}
