/**
 * POST /restore/open: sales open again, once the caller has said whether the keys, operators, webhooks and products
 * that may have ended in the gap stay or end (docs/decisions/0032).
 *
 * Invariant: rights that are to end have ended by facts before the one that opens sales, so an interrupted call leaves
 * sales closed, and the same call goes on.
 */
import type { Command } from '../../../engine/decide/command.ts';
import { Rejection } from '../../../engine/decide/rejection.ts';
import type { Origin } from '../../../engine/origin.ts';
import { RESTORED_KINDS, type RestoredKind, restoredIds } from '../../../engine/recovery/restored-rights.ts';
import type { State } from '../../../engine/state.ts';
import type { Fields } from '../../../views/operator-views.ts';
import { type ApiError, badRequest } from '../../errors.ts';
import { errorOfRejection } from '../../reply.ts';
import { optionalBody } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import { bodyRoute, type OperatorRoute, type OperatorServices } from '../operator-route.ts';
import { OWNERS } from '../roles.ts';
import { OPEN_SALES } from './restore-operations.ts';

type Decision = 'keep' | 'end';
type Decisions = Readonly<Record<RestoredKind, Decision>>;
type Ended = Readonly<Record<RestoredKind, number>>;

const decision = (description: string) => ({ type: 'string', enum: ['keep', 'end'], description }) as const;
const BODY = {
  keys: decision('`end` deactivates the API keys that were restored.'),
  operators: decision('`end` revokes the operators whose tokens were restored.'),
  webhooks: decision('`end` deletes the webhooks that were restored; what waits for them is cancelled.'),
  products: decision('`end` deactivates the products that were restored.'),
  all: decision('For those of the four that are not named.'),
};
type Body = Partial<Readonly<Record<RestoredKind | 'all', Decision>>>;

/** Facts that become durable together. */
const AT_ONCE = 256;
const NONE_ENDED: Ended = { keys: 0, operators: 0, webhooks: 0, products: 0 };

const ENDING = {
  keys: (accountId) => ({ kind: 'SetKeyActive', accountId, isActive: false }),
  operators: (operatorId) => ({ kind: 'RevokeOperator', operatorId }),
  webhooks: (accountId) => ({ kind: 'RemoveWebhook', accountId }),
  products: (productId) => ({ kind: 'UpdateProduct', productId, changes: { active: false } }),
} as const satisfies Record<RestoredKind, (id: number) => Command>;

/** `statusOf` is what GET /restore answers. */
export function restoreOpenRoute(
  { engine }: Pick<OperatorServices, 'engine'>,
  statusOf: () => Fields,
): OperatorRoute {
  return bodyRoute('POST /restore/open', OPEN_SALES, OWNERS, optionalBody(BODY), (context, body) => {
    const succeed = (ended: Ended) => context.succeedWhenDurable(200, { ...statusOf(), ended });
    if (engine.state.gap === null) return succeed(NONE_ENDED);
    const decisions = decisionsOf(body);
    const missing = RESTORED_KINDS.filter((kind) => decisions[kind] === undefined);
    if (missing.length > 0) return context.failWhenDurable(undecided(engine.state, missing));
    context.run(async () => {
      const result = await open(engine, decisions as Decisions, context);
      if (result instanceof Rejection) context.fail(errorOfRejection(result));
      else succeed(result);
    });
  });
}

/** How many there are of each that the gap may have taken away. */
export function restoredCounts(state: State): Ended {
  const counts = RESTORED_KINDS.map((kind) => [kind, restoredIds(state, kind).length]);
  return Object.fromEntries(counts) as Ended;
}

function decisionsOf({ all, ...body }: Body): Partial<Decisions> {
  return all === undefined ? body : { keys: all, operators: all, webhooks: all, products: all, ...body };
}

function undecided(state: State, missing: readonly RestoredKind[]): ApiError {
  const counts = restoredCounts(state);
  const what = missing.map((kind) => `${kind} (${counts[kind]} restored)`).join(', ');
  return badRequest(
    'Sales stay closed: what was taken away after the last fact that was restored is there again, and the shop cannot know what that was. ' +
      `Say for each of these whether you "keep" or "end" what was restored: ${what}. "all" decides those that are not named.`,
  );
}

async function open(
  engine: OperatorServices['engine'],
  decisions: Decisions,
  { origin }: Pick<OperatorContext, 'origin'>,
): Promise<Ended | Rejection> {
  const ended = { ...NONE_ENDED };
  const submit = submitTo(engine, origin);
  const kinds = RESTORED_KINDS.filter((kind) => decisions[kind] === 'end');
  for (const kind of kinds) {
    const ids = restoredIds(engine.state, kind);
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const results = await Promise.all(
        ids.slice(from, from + AT_ONCE).map((id) => submit(ENDING[kind](id))),
      );
      const refusal = results.find((result) => result instanceof Rejection);
      if (refusal !== undefined) return refusal;
      ended[kind] += results.length;
    }
  }
  const opened = await submit({ kind: 'OpenSales', ended: kinds });
  return opened instanceof Rejection ? opened : ended;
}

function submitTo(engine: OperatorServices['engine'], origin: Origin) {
  return (command: Command) =>
    new Promise<unknown>((resolve) => {
      engine.submit(command, resolve, origin);
    });
}
