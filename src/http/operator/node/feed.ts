/**
 * GET /feed (docs/feed.md): every fact after a position or from a time on, one line each, for as long as the reader stays
 * and his token counts.
 */
import { FIRST_EPOCH, forkBelow } from '../../../engine/recovery/epochs.ts';
import type { FeedOpening } from '../../../feed/fact-feed.ts';
import { type ApiError, apiError, badRequest, rateLimited } from '../../errors.ts';
import { requestIdHeader } from '../../reply.ts';
import { BOT_FIGURES_QUERY, type BotFigures, botFigures } from '../bots/bot-figures.ts';
import { BUSY } from '../checkpoint-answer.ts';
import { notATime, parseMoment } from '../moment.ts';
import type { OperatorContext } from '../operator-context.ts';
import { type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { parseInteger } from '../page.ts';
import { COSTS } from '../roles.ts';
import { READ_FEED } from './node-operations.ts';

/** A reader's end frees its place at once, so there may be one by then. */
const FULL_RETRY_SECONDS = 5;

const STOPPING = apiError('NOT_READY', 'The node is stopping: reconnect later with the same position.');
const FULL = rateLimited(
  'Too many readers of the feed are connected: close connections that nobody reads, and try again.',
  FULL_RETRY_SECONDS,
);
const BAD_AFTER = badRequest('after must be the seq of the last line you have, or 0 for all lines.');

const BAD_EPOCH = badRequest('epoch must be the epoch of the last line you have.');
const BOTH = badRequest('Give either after or from.');
const TO_COME = badRequest('from must not be in the future: the feed goes on by itself.');
/** The `seq` after which the lines begin. */
const AFTER_HEADER = 'x-feed-after';

const FEED_QUERY = {
  after: {
    type: 'integer',
    minimum: 0,
    description: 'The `seq` of the last line that you have; 0, the default, for all lines.',
  },
  from: {
    type: 'string',
    description: 'Begin with the first line of this time, which must not be in the future.',
  },
  epoch: {
    type: 'integer',
    minimum: 1,
    description:
      'With `after`: the `epoch` of the last line that you have. Then a restore since cannot go unnoticed.',
  },
  types: { type: 'string', description: 'Only lines of these types, separated by commas.' },
  ...BOT_FIGURES_QUERY,
} as const;

interface Asked {
  readonly types: readonly string[] | undefined;
  readonly figures: BotFigures;
}

export function feedRoutes(services: OperatorServices): OperatorRoute[] {
  return [
    operatorRoute(
      'GET /feed',
      READ_FEED,
      (context) => {
        const types = parseTypes(context.query.get('types'), services);
        if (!Array.isArray(types) && types !== undefined) return context.fail(types.error);
        const figures = botFigures(context);
        if ('error' in figures) return context.fail(figures.error);
        const from = context.query.get('from');
        if (from !== null) return answerFrom(context, services, from, { types, figures });
        const after = parseInteger(context.query.get('after') ?? '0');
        if (!Number.isSafeInteger(after)) return context.fail(BAD_AFTER);
        const epoch = context.query.get('epoch');
        const refusal = epoch === null ? undefined : epochRefusal(services, after, parseInteger(epoch));
        if (refusal !== undefined) return context.fail(refusal);
        context.run(() => open(context, services, after, { types, figures }));
      },
      { query: FEED_QUERY },
    ),
  ];
}

/** Undefined for all. An unknown one is refused: its lines would be missed without a word. */
function parseTypes(
  text: string | null,
  { feed }: OperatorServices,
): string[] | undefined | { readonly error: ApiError } {
  if (text === null) return undefined;
  const types = text.split(',');
  const unknown = types.find((type) => !feed.types.includes(type));
  if (unknown === undefined) return types;
  const name = JSON.stringify(unknown.slice(0, 80));
  return {
    error: badRequest(
      `types has ${name}, which no line is of: send types of docs/feed.md, separated by commas.`,
    ),
  };
}

/** Why a reader whose last line was of this epoch can't go on; undefined when what it has is of this history. */
function epochRefusal({ engine }: OperatorServices, after: number, epoch: number): ApiError | undefined {
  if (!Number.isSafeInteger(epoch) || epoch < FIRST_EPOCH) return BAD_EPOCH;
  const { list, current } = engine.state.epochs;
  const fork = forkBelow(list, epoch, after);
  if (fork === undefined) return undefined;
  const message =
    `The line ${after} that you have is of epoch ${epoch}, and this is epoch ${current}, after a restore: ` +
    `both have the lines up to ${fork}. Undo what you made of later ones, and continue with after=${fork}.`;
  return { code: 'OTHER_EPOCH', message, fields: { epoch: current, forkAfter: fork } };
}

/**
 * Answers with the lines from the first fact at or after a time. A time to come is refused: lines before it would be
 * told.
 */
function answerFrom(context: OperatorContext, services: OperatorServices, from: string, asked: Asked): void {
  const { feed, clock } = services;
  const fromMs = parseMoment(from);
  if (context.query.has('after')) return context.fail(BOTH);
  if (Number.isNaN(fromMs)) return context.fail(notATime('from', from).error);
  if (fromMs > clock()) return context.fail(TO_COME);
  context.run(async () => {
    const after = await feed.positionBefore(fromMs);
    if (after === 'busy') context.fail(BUSY);
    else await open(context, services, after, asked);
  });
}

async function open(
  context: OperatorContext,
  { feed, bots }: OperatorServices,
  after: number,
  { types, figures }: Asked,
): Promise<void> {
  const own = context.guard && (await context.guard.ownAccounts());
  // A bot is there for as long as it reads.
  const mayRead = () => {
    if (own !== undefined) bots.see(own.operatorId);
    return context.mayStill;
  };
  const opening = await feed.open(after, mayRead, { types, hidesCosts: !context.isFor(COSTS), own });
  if (own !== undefined && opening.kind === 'open') bots.hear(own.operatorId, { after, types, figures });
  answer(context, after, opening);
}

function answer(context: OperatorContext, after: number, opening: FeedOpening): void {
  if (opening.kind !== 'open') return context.fail(refusalOf(opening, after));
  const headers = [
    ['content-type', 'application/x-ndjson; charset=utf-8'],
    ['cache-control', 'no-store'],
    // Where the lines of a `from` begin.
    [AFTER_HEADER, String(after)],
    requestIdHeader(context.requestId),
    // nginx would hold lines back until it has a buffer full of them.
    ['x-accel-buffering', 'no'],
  ] as const;
  context.replyStream(200, headers, opening.body);
}

function refusalOf(opening: Exclude<FeedOpening, { kind: 'open' }>, after: number): ApiError {
  if (opening.kind === 'full') return FULL;
  if (opening.kind === 'stopping') return STOPPING;
  return badRequest(
    `after is ${after}, but the newest line has seq ${opening.position}: your position belongs to another data folder, or to a newer copy of this one.`,
  );
}
