/** GET /bots: how each operator of role `bot` is, for whoever looks after it. */
import { DEFAULT_BOT_PREFIX, type Operator } from '../../../engine/operators.ts';
import type { LineCount } from '../../../feed/line-count.ts';
import type { Fields } from '../../../views/operator-views.ts';
import { ownAccountsOf } from '../bot-calls.ts';
import { BUSY } from '../checkpoint-answer.ts';
import { type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { type BotFigures, FIGURE_NAMES } from './bot-figures.ts';
import { LIST_BOTS } from './bot-operations.ts';

/** The lines that a bot has not; undefined where nobody knows. */
type Behind = Pick<LineCount, 'lines' | 'sinceMs'> | undefined;

export function botRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine, bots } = services;
  return [
    operatorRoute('GET /bots', LIST_BOTS, (context) =>
      context.run(async () => {
        const rows: Fields[] = [];
        for (const operator of [...engine.state.operators.values()]) {
          if (operator.profile.role !== 'bot' || operator.revokedAtMs !== null) continue;
          const behind = await behindOf(operator, services);
          if (behind === 'busy') return context.fail(BUSY);
          const seen = bots.of(operator.operatorId);
          rows.push({
            operatorId: operator.operatorId,
            name: operator.profile.name,
            externalIdPrefix: operator.profile.externalIdPrefix ?? DEFAULT_BOT_PREFIX,
            lastSeenAt: seen?.lastSeenAtMs ?? null,
            behind: behind?.lines ?? null,
            nextLineAt: behind?.sinceMs ?? null,
            ...shownFigures(seen?.told?.figures),
          });
        }
        context.succeedWhenDurable(200, { bots: rows });
      }),
    ),
  ];
}

/** The count goes on with each look, from where the one before has stopped. */
async function behindOf(
  { operatorId, profile: { externalIdPrefix } }: Readonly<Operator>,
  { engine, feed, bots }: Pick<OperatorServices, 'engine' | 'feed' | 'bots'>,
): Promise<Behind | 'busy'> {
  const told = bots.of(operatorId)?.told;
  if (told === undefined) return undefined;
  const own = await ownAccountsOf(engine.state, { operatorId, externalIdPrefix });
  const answer = await feed.countOn(told.count, { types: told.types, own });
  if (answer === 'busy') return 'busy';
  const { count, isComplete } = answer;
  told.count = count;
  return isComplete ? count : undefined;
}

function shownFigures(told: BotFigures = {}): Fields {
  return Object.fromEntries(FIGURE_NAMES.map((name) => [name, told[name] ?? null]));
}
