/**
 * Commands that call the operator API. Each takes the options that name the node, sends one call and prints the
 * answer: `call` changes something and takes a `--reason`, `read` changes nothing, `list` sends the query of one page.
 * A command that does more uses `command`, `connect` and `printAnswer`.
 */
import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { id, idempotencyKey, wholeNumber } from '../argument.ts';
import { addPeriod, addTimeZone, type PeriodFlags, periodQuery } from '../period.ts';
import { fieldLines, type JsonObject, rowsOf, tableLines } from '../terminal/answer-text.ts';
import { usageError } from '../terminal/failure.ts';
import { Reason, reasonText } from '../terminal/reason.ts';
import { printLines, type Terminal, visible } from '../terminal/terminal.ts';
import { addCsv, type CsvFlags, printCsv } from './csv-flags.ts';
import type { Answer, OperatorCall, OperatorClient } from './operator-client.ts';
import { findOperator, type TargetFlags } from './operator-target.ts';

export interface ClientFlags extends TargetFlags, CsvFlags {
  readonly json?: boolean;
  readonly reason?: string;
  readonly idempotencyKey?: string;
}

/** Fields of the body that are undefined are not sent. */
type Call = readonly [method: OperatorCall['method'], path: string, body?: JsonObject];

/** How an answer is written for a person. */
export type Render = (body: JsonObject) => readonly string[];

/** A remark for people beside the answer, on standard error. */
type Note = (body: JsonObject) => string | undefined;

export interface Listing {
  /** An id that the command was given takes the place of `{id}`. */
  readonly path: string;
  readonly render: Render;
  /** Fields by which the rows can be narrowed down; each is a flag, such as `--status`, or as it says: `price-list`. */
  readonly filters?: readonly (string | readonly [field: string, flag: string])[];
  /** Whether rows have a time by which they can be narrowed down. */
  readonly hasPeriod?: boolean;
  /** Whether all of it can be had as CSV, by the days of any time zone. */
  readonly hasCsv?: boolean;
  /** How many rows a page has at most; default 1,000. */
  readonly maxRows?: number;
}

export interface PageFlags {
  readonly cursor?: string;
  readonly limit?: number;
}

/** The most rows of a page in most of the API's listings. */
const MAX_PAGE_ROWS = 1_000;

export class ClientCommands {
  readonly #parent: Command;
  readonly #terminal: Terminal;

  constructor(parent: Command, terminal: Terminal) {
    this.#parent = parent;
    this.#terminal = terminal;
  }

  /** A command without an action yet. Arguments in `usage` are ids, as in `show <account>`. */
  command(usage: string, description: string): Command {
    return this.readingCommand(usage, description).option(
      '--reason <TEXT>',
      'why; it is kept with the change (asked for at a terminal)',
      reasonText,
    );
  }

  /** A command that changes nothing, without an action yet. */
  readingCommand(usage: string, description: string): Command {
    const [name = '', ...ids] = usage.split(' ');
    const command = this.#parent.command(name).description(description);
    for (const argument of ids) command.argument(argument, `${argument.slice(1, -1)} id`, id);
    return command
      .option('--operator <URL>', 'operator API (env: PURSER_OPERATOR_URL)')
      .option('--token <TOKEN>', 'operator token (env: PURSER_OPERATOR_TOKEN)')
      .option('--data <DIR>', 'data folder of a node on this machine (env: PURSER_DATA, default: ./data)')
      .option('--json', "print the API's answer as it is");
  }

  /** `callOf` gets the arguments, then the flags. */
  call<Given extends unknown[]>(
    usage: string,
    description: string,
    callOf: (...given: Given) => Call | Promise<Call>,
    render?: Render,
    note?: Note,
  ): Command {
    return this.#act(this.command(usage, description), callOf, render, note);
  }

  /**
   * A command for a call that would act twice if it were sent twice: it has a key, and is repeated if its answer is
   * lost.
   */
  once<Given extends unknown[]>(...given: Parameters<typeof this.call<Given>>): Command {
    return keyed(this.call(...given));
  }

  /** A command for a call that changes nothing. */
  read<Given extends unknown[]>(
    usage: string,
    description: string,
    callOf: (...given: Given) => Call,
    render?: Render,
  ): Command {
    return this.#act(this.readingCommand(usage, description), callOf, render);
  }

  list(usage: string, description: string, listing: Listing): void {
    const { path, render, filters = [], hasPeriod = false, hasCsv = false, maxRows } = listing;
    const narrowed = filters.map((given) =>
      typeof given === 'string' ? ([given, kebab(given)] as const) : given,
    );
    const fields = [...narrowed, ['cursor', 'cursor'], ['limit', 'limit'], ['excel', 'excel']] as const;
    const pathOf = (...given: unknown[]): Call => {
      const flags = command.opts<Readonly<Record<string, string | number | true | undefined>>>();
      const query = new URLSearchParams(hasPeriod ? periodQuery(command.opts<PeriodFlags>()) : {});
      for (const [field, flag] of fields) {
        const value = flags[camel(flag)];
        if (value !== undefined) query.set(field, String(value));
      }
      return ['GET', path.replace('{id}', String(given[0])) + (query.size === 0 ? '' : `?${query}`)];
    };
    const command = this.read(usage, description, pathOf, render);
    addPage(command, maxRows);
    if (hasPeriod) addPeriod(command);
    if (hasCsv) addCsv(addTimeZone(command));
    for (const [field, flag] of narrowed)
      command.option(`--${flag} <VALUE>`, `only those with this ${field}`);
  }

  #act<Given extends unknown[]>(
    command: Command,
    callOf: (...given: Given) => Call | Promise<Call>,
    render?: Render,
    note?: Note,
  ): Command {
    return command.action(async (...given: unknown[]) => {
      const [method, path, body] = await callOf(...(given as Given));
      const client = await connect(this.#terminal, command.opts());
      if (command.opts<ClientFlags>().csv === true) return printCsv(this.#terminal, client, path);
      const key = isKeyed(command) ? keyOf(command.opts()) : undefined;
      const answer = await client.call({ method, path, key, ...(body === undefined ? {} : { body }) });
      this.answerWith(command, answer, render, note);
    });
  }

  /** Prints an answer, and on standard error how to go on. */
  answerWith(command: Command, answer: Answer, render?: Render, note?: Note): void {
    const { stderr } = this.#terminal;
    printAnswer(this.#terminal, command.opts(), answer, render);
    const said = note?.(answer.body);
    if (said !== undefined) printLines(stderr, [said]);
    const { nextCursor } = answer.body;
    const hasPages = command.options.some(({ long }) => long === '--cursor');
    if (!hasPages || typeof nextCursor !== 'string') return;
    printLines(stderr, [`There are more: repeat with --cursor ${visible(nextCursor)}`]);
  }
}

/** Gives a command the flag of its `Idempotency-Key`. */
export function keyed(command: Command): Command {
  return command.option(
    '--idempotency-key <KEY>',
    'of an earlier try whose outcome is unknown, so that it happens once (default: a new one)',
    idempotencyKey,
  );
}

function isKeyed(command: Command): boolean {
  return command.options.some(({ long }) => long === '--idempotency-key');
}

/** The key that was given, or a new one. */
export function keyOf({ idempotencyKey: given }: Pick<ClientFlags, 'idempotencyKey'>): string {
  return given ?? randomUUID();
}

/** The flags of a listing in pages of up to `maxRows` rows. */
export function addPage(command: Command, maxRows: number = MAX_PAGE_ROWS): Command {
  return command
    .option('--cursor <CURSOR>', 'nextCursor of the previous page')
    .option(
      '--limit <N>',
      `at most so many rows a page, 1 to ${maxRows} (default: ${maxRows})`,
      wholeNumber(1, maxRows),
    );
}

/** Writes the rows under `key` as a table. */
export function table(key: string, columns: readonly string[]): Render {
  return (body) => tableLines(rowsOf(body, key), columns);
}

/** The body of an update. Throws `CommandFailure` when no flag names anything to change. */
export function changesIn(settings: JsonObject, command: string): JsonObject {
  if (Object.values(settings).some((value) => value !== undefined)) return settings;
  throw usageError(`nothing to change: see \`purser ${command} --help\``);
}

export async function connect(
  terminal: Terminal,
  flags: TargetFlags & { readonly reason?: string },
): Promise<OperatorClient> {
  const target = findOperator(flags, terminal.env);
  const reason = new Reason(terminal, flags.reason);
  // Loaded only now: a server that starts, and `purser verify`, must not wait for an HTTP client.
  const { OperatorClient } = await import('./operator-client.ts');
  return new OperatorClient(target, () => reason.text());
}

export function printAnswer(
  terminal: Terminal,
  flags: ClientFlags,
  answer: Answer,
  render: Render = fieldLines,
): void {
  printLines(terminal.stdout, flags.json === true ? [answer.text.trimEnd()] : render(answer.body));
}

function camel(flag: string): string {
  return flag.replace(/-[a-z]/g, (part) => part.charAt(1).toUpperCase());
}

/** commander gives the flag `--account-id` the name `accountId`. */
function kebab(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
