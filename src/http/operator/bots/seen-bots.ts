/**
 * The bots of the shop, as far as they were seen since the node started: when each was there last, which line of its feed it
 * said that it has, and what it has told beside that.
 *
 * In memory alone: a bot says all of it again when it comes back, within a minute. Rejected: facts, of which the journal
 * would have one for every minute of every bot, for ever.
 */
import type { LineCount } from '../../../feed/line-count.ts';
import type { BotFigures } from './bot-figures.ts';

interface Told {
  /** The `seq` of the last line that the bot has. */
  readonly after: number;
  /** The types of its lines; undefined for all. */
  readonly types: readonly string[] | undefined;
  readonly figures: BotFigures;
}

export interface SeenBot {
  /** Unix milliseconds. */
  lastSeenAtMs: number;
  /** Undefined before it has asked for its feed. */
  told?: Told & { count: LineCount };
}

export class SeenBots {
  readonly #clock: () => number;
  /** By operator: at most as many as there are. */
  readonly #byId = new Map<number, SeenBot>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Undefined for one that wasn't there since the start. */
  of(operatorId: number): SeenBot | undefined {
    return this.#byId.get(operatorId);
  }

  /** The bot is there. */
  see(operatorId: number): SeenBot {
    const lastSeenAtMs = this.#clock();
    const known = this.#byId.get(operatorId);
    if (known !== undefined) {
      known.lastSeenAtMs = lastSeenAtMs;
      return known;
    }
    const bot: SeenBot = { lastSeenAtMs };
    this.#byId.set(operatorId, bot);
    return bot;
  }

  /** The bot has begun to read its feed. */
  hear(operatorId: number, told: Told): void {
    const { after } = told;
    this.see(operatorId).told = { ...told, count: { through: after, lines: 0, sinceMs: undefined } };
  }
}
