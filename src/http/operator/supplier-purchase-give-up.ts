/**
 * POST /supplier-purchases/{reference}/give-up: closes an unresolved purchase without the supplier's answer. Nothing
 * enters own stock, the supplier is asked no more, and a later report is accepted and dropped.
 *
 * A repeated request gets the same answer, as long as the purchase is among the recently ended ones.
 */
import type { EndedSupplierPurchase } from '../../engine/ended-supplier-purchases.ts';
import type { Engine } from '../../engine/engine.ts';
import type { SupplierPurchase } from '../../engine/supplier-purchases.ts';
import { type ApiError, apiError } from '../errors.ts';
import { operatorBody } from './operator-body.ts';
import type { OperatorContext, OperatorRoute, OperatorServices } from './operator-route.ts';
import { endedFields } from './supplier-purchase-fields.ts';

const NOTHING = { type: 'object' } as const;
const NO_SUPPLIER_PURCHASE = apiError(
  'NOT_FOUND',
  'No purchase with this reference is open at a supplier, and none has ended lately. Check the reference.',
);
const BUSY = apiError('NOT_READY', 'An answer of the supplier is being processed: try again in a second.');

export function giveUpRoute({ engine, suppliers }: OperatorServices): OperatorRoute {
  const nothing = operatorBody<object>(NOTHING);
  return {
    method: 'POST',
    path: '/supplier-purchases/{name}/give-up',
    handle: (context) =>
      context.readOptionalJson(nothing, () => {
        const supplierPurchase = engine.state.supplierPurchases.ofReference(context.name);
        if (supplierPurchase?.phase !== 'unresolved') return tellHowItIs(context, engine);
        suppliers.giveUp(supplierPurchase).then(
          (ended) => {
            if (ended === undefined) tellHowItIs(context, engine);
            else context.succeed(200, endedFields(ended));
          },
          (error: unknown) => context.fault(error),
        );
      }),
  };
}

/** When this request has ended nothing. */
function tellHowItIs(context: OperatorContext, engine: Engine): void {
  const ended = engine.state.endedSupplierPurchases.ofReference(context.name);
  if (ended?.result === 'given-up') context.succeedWhenDurable(200, endedFields(ended));
  else context.failWhenDurable(whyNot(ended, engine.state.supplierPurchases.ofReference(context.name)));
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
