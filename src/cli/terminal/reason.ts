/**
 * The reason why an operator does something: `--reason`, or the answer to a question at a terminal. The reason goes
 * into the facts.
 *
 * Invariant: the question is asked at a terminal only, so scripts run through; it comes once a command, right before
 * the first request that changes something, when the command line has been understood. The client of the API adds the
 * reason to its requests, so no command can forget it.
 */
import { InvalidArgumentError } from 'commander';
import { MAX_REASON_LENGTH } from '../../engine/limits.ts';
import { CommandFailure, usageError } from './failure.ts';
import { answerTo, isAtTerminal } from './question.ts';
import type { Terminal } from './terminal.ts';

export class Reason {
  readonly #terminal: Terminal;
  #text: Promise<string | undefined> | undefined;

  /** `given` is what the command line says; an empty one is none, and is not asked for. */
  constructor(terminal: Terminal, given: string | undefined) {
    this.#terminal = terminal;
    if (given !== undefined) this.#text = Promise.resolve(given === '' ? undefined : given);
  }

  /** Undefined when there is none. Throws `CommandFailure` for one that is too long, and without an answer. */
  text(): Promise<string | undefined> {
    this.#text ??= isAtTerminal(this.#terminal) ? ask(this.#terminal) : Promise.resolve(undefined);
    return this.#text;
  }
}

/** Parser for commander. */
export function reasonText(text: string): string {
  if (isShort(text)) return text;
  throw new InvalidArgumentError(`expected at most ${MAX_REASON_LENGTH} characters`);
}

async function ask(terminal: Terminal): Promise<string | undefined> {
  const text = await answerTo(terminal, 'Reason (Enter for none): ');
  if (text === undefined) throw new CommandFailure('there was no answer; nothing was changed');
  if (!isShort(text)) throw usageError(`a reason has at most ${MAX_REASON_LENGTH} characters`);
  return text === '' ? undefined : text;
}

/** Counted as the server does. */
function isShort(text: string): boolean {
  return Array.from(text).length <= MAX_REASON_LENGTH;
}
