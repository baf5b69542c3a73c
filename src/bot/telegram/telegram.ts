/**
 * The Bot API, within its limits: 30 requests a second, one a second to a chat, and whatever a 429 says. grammY's own
 * plugins keep them, for conversations and copies together.
 *
 * Conversations wait for as long as it takes, each chat by itself. Copies don't: their sender wants to know that a chat has
 * to wait, and goes on with others.
 */
import { autoRetry } from '@grammyjs/auto-retry';
import { apiThrottler } from '@grammyjs/transformer-throttler';
import { Api, Bot, GrammyError, HttpError, type Transformer } from 'grammy';
import { retry } from '../../shared/retry.ts';
import type { BotContext } from '../context.ts';
import { ChatPace } from './chat-pace.ts';

/** A request, long polls included, that takes longer has failed. */
const TIMEOUT_SECONDS = 60;
const PACE_MS = 1_000;
/** Between any two requests: evenly, so that no second has more than 30. */
const BETWEEN_MS = 34;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

export interface Telegram {
  readonly bot: Bot<BotContext>;
  /** For copies. */
  readonly api: Api;
  readonly pace: ChatPace;
}

export interface TelegramOptions {
  readonly telegramToken: string;
  /** Base of the Bot API, without a slash at its end. */
  readonly telegramApi: string;
  /** The time between two requests to a chat; default: a second. */
  readonly paceMs?: number;
  readonly say: (line: string) => void;
}

/**
 * `stop`: nothing is waited for from then on, and what is under way goes on to its end. `end`: nor does that.
 */
export function telegramOf(options: TelegramOptions, stop: AbortSignal, end: AbortSignal): Telegram {
  const { telegramToken: token, telegramApi: apiRoot, paceMs = PACE_MS } = options;
  const client = { apiRoot, timeoutSeconds: TIMEOUT_SECONDS };
  const bot = new Bot<BotContext>(token, { client });
  const api = new Api(token, client);
  const pace = new ChatPace(paceMs);
  const throttler = apiThrottler({
    global: { minTime: Math.min(BETWEEN_MS, paceMs) },
    out: { maxConcurrent: 1, minTime: paceMs },
  });
  // The first is the innermost.
  const sending = [endingWith(end), ofMessages(pace.transformer), ofMessages(throttler)];
  api.config.use(...sending);
  const waits = autoRetry({ rethrowHttpErrors: true, rethrowInternalServerErrors: true });
  bot.api.config.use(...sending, patience(stop, options.say), waits, waitingUntil(stop));
  return { bot, api, pace };
}

/** An edit is no message: it takes no turn from the message that comes next. */
function ofMessages(transformer: Transformer): Transformer {
  return (prev, method, payload, signal) =>
    method.startsWith('edit') ? prev(method, payload, signal) : transformer(prev, method, payload, signal);
}

function endingWith(end: AbortSignal): Transformer {
  return (prev, method, payload, signal) => {
    const given = signal as AbortSignal | undefined;
    const any = given === undefined ? end : AbortSignal.any([given, end]);
    return prev(method, payload, any as typeof signal);
  };
}

/** Makes the plugins around the request wait no longer than until `stop`. */
function waitingUntil(stop: AbortSignal): Transformer {
  return (prev, method, payload, signal) => prev(method, payload, (signal ?? stop) as typeof signal);
}

/** Tries again what Telegram, or the way to it, has failed at. */
function patience(stop: AbortSignal, say: (line: string) => void): Transformer {
  return async (prev, method, payload, signal) => {
    if (method === 'getUpdates') return prev(method, payload, signal);
    const attempt = async () => {
      const answer = await prev(method, payload);
      if (!answer.ok && answer.error_code >= 500)
        throw new GrammyError(`${method} is answered ${answer.error_code}`, answer, method, {});
      return answer;
    };
    return await retry(attempt, {
      pauseMs: FIRST_PAUSE_MS,
      longestMs: LONGEST_PAUSE_MS,
      mayHelp: isPassing,
      onFailure: (error, failures) => {
        if (failures === 1 || failures % 20 === 0)
          say(`Telegram is asked again: ${(error as Error).message}`);
      },
      signal: stop,
    });
  };
}

/** Whether the same request may be answered another time. */
export function isPassing(error: unknown): boolean {
  return error instanceof HttpError || (error instanceof GrammyError && error.error_code >= 500);
}

/** Whether nothing reaches this chat any more: its user has blocked the bot, or is gone. */
export function isGone(error: unknown): boolean {
  if (!(error instanceof GrammyError)) return false;
  return error.error_code === 403 || (error.error_code === 400 && /chat not found/i.test(error.description));
}

/** How long a chat has to be left alone, in milliseconds; undefined when that isn't what is wrong. */
export function waitMsOf(error: unknown): number | undefined {
  if (!(error instanceof GrammyError) || error.error_code !== 429) return undefined;
  return (error.parameters.retry_after ?? 1) * 1_000;
}
