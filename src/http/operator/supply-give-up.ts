/**
 * POST /supplies/{reference}/give-up: ends a purchase that its supplier never says the end of. Nothing enters own
 * stock, nobody is asked any more, and what the supplier reports later is thanked for and dropped.
 *
 * Repeated, it gets the answer that it got at first, as long as the end is among the latest that are remembered.
 */
import type { Engine } from '../../engine/engine.ts';
import type { SettledSupply } from '../../engine/settled-supplies.ts';
import type { Supply } from '../../engine/supplies.ts';
import { type ApiError, apiError } from '../errors.ts';
import { operatorBody } from './operator-body.ts';
import type { OperatorContext, OperatorRoute, OperatorServices } from './operator-route.ts';
import { settledFields } from './supply-fields.ts';

const NOTHING = { type: 'object' } as const;
const NO_SUPPLY = apiError(
  'NOT_FOUND',
  'No purchase with this reference is open at a supplier, and none has ended lately.',
);
const BUSY = apiError(
  'NOT_READY',
  'What the supplier said is being worked on; look, and try again in a second.',
);

export function giveUpRoute({ engine, suppliers }: OperatorServices): OperatorRoute {
  const nothing = operatorBody<object>(NOTHING);
  return {
    method: 'POST',
    path: '/supplies/{name}/give-up',
    handle: (context) =>
      context.readOptionalJson(nothing, () => {
        const supply = engine.state.supplies.ofReference(context.name);
        if (supply?.phase !== 'unresolved') return tellHowItIs(context, engine);
        suppliers.giveUp(supply).then(
          (settled) => {
            if (settled === undefined) tellHowItIs(context, engine);
            else context.succeed(200, settledFields(settled));
          },
          (error: unknown) => context.fault(error),
        );
      }),
  };
}

/** When this request has ended nothing. */
function tellHowItIs(context: OperatorContext, engine: Engine): void {
  const settled = engine.state.settledSupplies.ofReference(context.name);
  if (settled?.result === 'given-up') context.succeedWhenDurable(200, settledFields(settled));
  else context.failWhenDurable(whyNot(settled, engine.state.supplies.ofReference(context.name)));
}

function whyNot(settled: SettledSupply | undefined, open: Supply | undefined): ApiError {
  if (settled !== undefined) return notAllowed(`It has ended: its supplier said ${settled.result}.`);
  if (open?.phase === 'held') return notAllowed('Its supplier is being asked at this moment.');
  if (open?.phase === 'pending') {
    return notAllowed('An order waits for it: complete, fail or refund that, then give this up.');
  }
  return open === undefined ? NO_SUPPLY : BUSY;
}

function notAllowed(message: string): ApiError {
  return apiError('TRANSITION_NOT_ALLOWED', message);
}
