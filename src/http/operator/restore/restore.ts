/**
 * The gap that a restore has left, and the calls by which the operator closes it (docs/decisions/0032): GET /restore,
 * POST /restore/quarantine, …/release and …/withdraw. Receipts of buyers and the opening of sales have files of their
 * own.
 *
 * A call that names no product is about all of them, one fact for each; after an interruption the same call goes on.
 */
import type { QuarantineResult } from '../../../engine/decide/command.ts';
import { Rejection } from '../../../engine/decide/rejection.ts';
import { countOf } from '../../../engine/item-ranges.ts';
import { usdtFromMicros } from '../../../engine/money.ts';
import type { Origin } from '../../../engine/origin.ts';
import type { Gap } from '../../../engine/recovery/epochs.ts';
import type { State } from '../../../engine/state.ts';
import type { Stock } from '../../../engine/stock.ts';
import type { Fields } from '../../../views/operator-views.ts';
import { takenAwayView } from '../../../views/taken-away-view.ts';
import { badRequest } from '../../errors.ts';
import { errorOfRejection } from '../../reply.ts';
import { ID } from '../../schemas/order.ts';
import { operatorBody, optionalBody } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import { bodyRoute, type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { PRODUCT_NOT_FOUND } from '../products/products.ts';
import { OWNERS } from '../roles.ts';
import { type Released, releaseItems, withdrawItems } from './quarantine-release.ts';
import { restoredCounts, restoreOpenRoute } from './restore-open.ts';
import { GET_RESTORE, QUARANTINE, RELEASE, WITHDRAW_QUARANTINED } from './restore-operations.ts';

/** Waiting debits that an answer lists; how many there are it always says. */
const MAX_LISTED_DEBITS = 1_000;

const ONE_PRODUCT = { productId: { ...ID, description: 'Of this product only. Default: of all.' } } as const;
const COUNT = {
  count: { type: 'integer', minimum: 1, maximum: 1_000_000, description: 'Of each product.' },
} as const;
const NOT_RESTORED = badRequest(
  'Nothing is to be set aside: sales are open. It is for after a restore that lost something.',
);

type EndForProduct = (
  services: OperatorServices,
  productId: number,
  origin: Origin,
) => Promise<Released | Rejection>;

export function restoreRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine } = services;
  return [
    operatorRoute('GET /restore', GET_RESTORE, (context) =>
      context.succeedWhenDurable(200, restoreFields(services)),
    ),
    bodyRoute(
      'POST /restore/quarantine',
      QUARANTINE,
      OWNERS,
      operatorBody({ ...COUNT, ...ONE_PRODUCT }, ['count']),
      (context, { count, productId }) => {
        if (engine.state.gap === null) return context.failWhenDurable(NOT_RESTORED);
        setAside(services, context, count, productId);
      },
    ),
    bodyRoute('POST /restore/release', RELEASE, OWNERS, optionalBody(ONE_PRODUCT), (context, { productId }) =>
      endQuarantine(services, context, productId, releaseItems),
    ),
    bodyRoute(
      'POST /restore/withdraw',
      WITHDRAW_QUARANTINED,
      OWNERS,
      optionalBody(ONE_PRODUCT),
      (context, { productId }) => endQuarantine(services, context, productId, withdrawItems),
    ),
    restoreOpenRoute(services, () => restoreFields(services)),
  ];
}

function restoreFields({ engine }: OperatorServices): Fields {
  const { gap, epochs, waitingDebits } = engine.state;
  const debits: Fields[] = [];
  for (const { orderId, accountId, amountMicros, sinceMs } of waitingDebits.values()) {
    if (debits.length === MAX_LISTED_DEBITS) break;
    debits.push({ orderId, accountId, amountUsdt: usdtFromMicros(amountMicros), since: sinceMs });
  }
  return {
    sales: gap === null ? 'open' : 'closed',
    epoch: epochs.current,
    // How many orders there were in the gap stays unknown: receipts tell of some.
    gap: gap && { from: gap.fromMs, to: gap.toMs, orders: null },
    ...(gap === null
      ? {}
      : { undecided: restoredCounts(engine.state), takenAway: takenIn(gap, engine.state) }),
    quarantined: quarantinedIn(engine.state),
    waitingDebitCount: waitingDebits.size,
    waitingDebits: debits,
  };
}

/** The effect of the backup's later facts; null when it had none. */
function takenIn({ takenAway }: Gap, names: State): Fields | null {
  return takenAway === undefined ? null : takenAwayView(takenAway, names);
}

function quarantinedIn({ stock }: State): number {
  let count = 0;
  for (const [productId] of stock.entries()) count += quarantinedOf(stock, productId);
  return count;
}

function quarantinedOf(stock: Stock, productId: number): number {
  return countOf(stock.lost(productId)?.quarantined.list ?? []);
}

/** Takes the next items of a product, or of each, off sale. */
function setAside(
  services: OperatorServices,
  context: OperatorContext,
  count: number,
  productId?: number,
): void {
  const { engine } = services;
  const set = (id: number) =>
    new Promise<QuarantineResult | Rejection>((resolve) => {
      engine.submit({ kind: 'QuarantineItems', productId: id, count }, resolve, context.origin);
    });
  const ids = productsWith(engine.state, productId, (id) => engine.state.stock.available(id) > 0);
  if (ids === undefined) return context.failWhenDurable(PRODUCT_NOT_FOUND);
  context.run(async () => {
    const rows: Fields[] = [];
    for (const id of ids) {
      const result = await set(id);
      if (result instanceof Rejection) return context.fail(errorOfRejection(result));
      rows.push({ productId: id, setAside: countOf(result.ranges), quarantined: result.quarantined });
    }
    context.succeedWhenDurable(200, { quarantined: quarantinedIn(engine.state), products: rows });
  });
}

/** Ends the quarantine of a product's items, or of each product's that has some. */
function endQuarantine(
  services: OperatorServices,
  context: OperatorContext,
  productId: number | undefined,
  end: EndForProduct,
): void {
  const { state } = services.engine;
  const ids = productsWith(state, productId, (id) => quarantinedOf(state.stock, id) > 0);
  if (ids === undefined) return context.failWhenDurable(PRODUCT_NOT_FOUND);
  const ending = async () => {
    const rows: Fields[] = [];
    for (const id of ids) {
      const done = await end(services, id, context.origin);
      if (done instanceof Rejection) return context.fail(errorOfRejection(done));
      rows.push({ productId: id, ...done });
    }
    context.succeedWhenDurable(200, { quarantined: quarantinedIn(services.engine.state), products: rows });
  };
  context.runUpload(ending());
}

/** The product that is named, or all for which `holds` is true; undefined when there is no such product. */
function productsWith(
  { products, stock }: State,
  productId: number | undefined,
  holds: (productId: number) => boolean,
): readonly number[] | undefined {
  if (productId !== undefined) return products.get(productId) === undefined ? undefined : [productId];
  return Array.from(stock.entries(), ([id]) => id).filter(holds);
}
