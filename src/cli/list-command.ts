/** `list`, as every noun has it: one page of the API as a table, and how to get the next one. */
import type { Command } from 'commander';
import { rowsOf, tableLines, visible } from './answer-text.ts';
import { type ClientFlags, clientCommand, connect, printAnswer, type Render } from './client-command.ts';
import { printLines, type Terminal } from './terminal.ts';

export interface Listing {
  readonly path: string;
  /** The answer's field that holds the rows. */
  readonly key: string;
  readonly columns: readonly string[];
  /** How a page is written when a table of the rows doesn't say all. */
  readonly render?: Render;
  /** Fields by which the rows can be narrowed down; each is a flag, such as `--status`. */
  readonly filters?: readonly string[];
}

interface ListFlags extends ClientFlags {
  readonly cursor?: string;
}

export function listCommand(
  parent: Command,
  terminal: Terminal,
  { path, key, columns, render, filters = [] }: Listing,
): void {
  const renderPage = render ?? ((body) => tableLines(rowsOf(body, key), columns));
  const command = clientCommand(parent, 'list', `all ${key}, a page at a time`).option(
    '--cursor <CURSOR>',
    'where the page before this one said that the next begins',
  );
  for (const field of filters) command.option(`--${kebab(field)} <VALUE>`, `only those of this ${field}`);
  command.action(async (flags: ListFlags & Readonly<Record<string, unknown>>) => {
    const query = new URLSearchParams();
    for (const field of [...filters, 'cursor']) {
      if (typeof flags[field] === 'string') query.set(field, flags[field]);
    }
    const place = query.size === 0 ? path : `${path}?${query}`;
    const client = await connect(terminal, flags);
    const answer = await client.call({ method: 'GET', path: place });
    printAnswer(terminal, flags, answer, renderPage);
    const { nextCursor } = answer.body;
    if (typeof nextCursor === 'string') {
      printLines(terminal.stderr, [`There are more: repeat with --cursor ${visible(nextCursor)}`]);
    }
  });
}

/** commander gives the flag `--account-id` the name `accountId`. */
function kebab(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
