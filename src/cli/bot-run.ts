/** The bot as the command runs it: loaded with its libraries when it does. */
import { readFileSync } from 'node:fs';
import { runBot } from '../bot/bot.ts';
import { LANGUAGES, type Language } from '../bot/texts/text.ts';
import { findOperator } from './calls/operator-target.ts';
import { CommandFailure, fileTrouble, usageError } from './terminal/failure.ts';
import { printLines, type Terminal } from './terminal/terminal.ts';

export interface BotFlags {
  readonly telegramTokenFile: string;
  readonly operator?: string;
  readonly tokenFile?: string;
  readonly state: string;
  readonly telegramApi: string;
  readonly language: Language;
  readonly since?: number;
}

/** Until SIGTERM or SIGINT. */
export async function serveBot(terminal: Terminal, flags: BotFlags): Promise<void> {
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once('SIGTERM', end).once('SIGINT', end);
  const { operator, tokenFile, language, state, since } = flags;
  const target = {
    ...(operator === undefined ? {} : { operator }),
    ...(tokenFile === undefined ? {} : { token: secretIn(tokenFile) }),
  };
  try {
    await runBot(
      {
        telegramToken: secretIn(flags.telegramTokenFile),
        telegramApi: apiRoot(flags.telegramApi),
        operator: findOperator(target, terminal.env),
        stateFolder: state,
        texts: LANGUAGES[language],
        sinceMs: since,
        say: (line) => printLines(terminal.stderr, [line]),
      },
      stop.signal,
    );
  } finally {
    process.off('SIGTERM', end).off('SIGINT', end);
  }
}

function apiRoot(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw usageError('--telegram-api: expected an address such as https://api.telegram.org');
  return text.replace(/\/+$/, '');
}

function secretIn(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CommandFailure(`${file}: ${fileTrouble(error)}`);
  }
  if (!/^[\x21-\x7e]+$/.test(text)) throw new CommandFailure(`${file}: expected a token, and nothing else`);
  return text;
}
