/** The figures that a bot tells of itself whenever it asks for its feed, for whoever looks after it. */
import { type ApiError, badRequest } from '../../errors.ts';
import type { OperatorContext } from '../operator-context.ts';
import { parseInteger } from '../page.ts';

const MOST = 1_000_000_000;

const FIGURES = {
  blockedChats: 'how many chats have blocked it',
  unsentMessages: 'how many messages it has still to send of lines that it has',
} as const;

type Figure = keyof typeof FIGURES;
/** Figures that it did not tell are absent. */
export type BotFigures = Readonly<Partial<Record<Figure, number>>>;

export const FIGURE_NAMES = Object.keys(FIGURES) as readonly Figure[];

/** Fields of the query of `GET /feed`. */
export const BOT_FIGURES_QUERY = fieldsOf((name) => ({
  type: 'integer' as const,
  minimum: 0,
  maximum: MOST,
  description: `Of role \`bot\`: ${FIGURES[name]}, for \`GET /bots\`.`,
}));

/** Fields of a row of `GET /bots`. */
export const BOT_FIGURES_FIELDS = fieldsOf((name) => ({
  type: 'integer' as const,
  nullable: true as const,
  description: `As it said: ${FIGURES[name]}; null: it has not said it.`,
}));

export function botFigures({
  query,
  guard,
}: Pick<OperatorContext, 'query' | 'guard'>): BotFigures | { readonly error: ApiError } {
  const figures: Partial<Record<Figure, number>> = {};
  for (const name of FIGURE_NAMES) {
    const text = query.get(name);
    if (text === null) continue;
    if (guard === undefined) return { error: badRequest(`${name} is what a bot tells: leave it out.`) };
    const figure = parseInteger(text);
    if (!(figure <= MOST)) return { error: badRequest(`${name} must be a number from 0 to ${MOST}.`) };
    figures[name] = figure;
  }
  return figures;
}

function fieldsOf<Field>(field: (name: Figure) => Field): Readonly<Record<Figure, Field>> {
  return Object.fromEntries(FIGURE_NAMES.map((name) => [name, field(name)])) as Record<Figure, Field>;
}
