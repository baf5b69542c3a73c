/** `list`, as every noun has it: one page of the API as a table, and how to get the next one. */
import type { Command } from 'commander';
import { rowsOf, tableLines, visible } from './answer-text.ts';
import { type ClientFlags, clientCommand, connect, printAnswer } from './client-command.ts';
import { printLines, type Terminal } from './terminal.ts';

export interface Listing {
  readonly path: string;
  /** The answer's field that holds the rows. */
  readonly key: string;
  readonly columns: readonly string[];
}

interface ListFlags extends ClientFlags {
  readonly cursor?: string;
}

export function listCommand(parent: Command, terminal: Terminal, { path, key, columns }: Listing): void {
  clientCommand(parent, 'list', `all ${key}, a page at a time`)
    .option('--cursor <CURSOR>', 'where the page before this one said that the next begins')
    .action(async (flags: ListFlags) => {
      const query = flags.cursor === undefined ? '' : `?cursor=${encodeURIComponent(flags.cursor)}`;
      const answer = await connect(terminal, flags).call({ method: 'GET', path: `${path}${query}` });
      printAnswer(terminal, flags, answer, (body) => tableLines(rowsOf(body, key), columns));
      const { nextCursor } = answer.body;
      if (typeof nextCursor === 'string') {
        printLines(terminal.stderr, [`There are more: repeat with --cursor ${visible(nextCursor)}`]);
      }
    });
}
