/** Flags of listings that can be had whole, as CSV, and printing it as it comes. */
import { type Command, Option } from 'commander';
import { isWritten, type Terminal } from '../terminal/terminal.ts';
import type { OperatorClient } from './operator-client.ts';

/** The longest silence of a listing that is under way: the server reads on meanwhile. */
const SILENCE_MS = 300_000;

export interface CsvFlags {
  readonly csv?: boolean;
  readonly excel?: boolean;
}

export function addCsv(command: Command): Command {
  const csv = new Option('--csv', 'print all of it as CSV').conflicts(['json', 'cursor', 'limit']);
  const excel = new Option('--excel', 'as CSV that spreadsheets open as it is, with a byte order mark')
    .implies({ csv: true })
    .conflicts(['json', 'cursor', 'limit']);
  return command.addOption(csv).addOption(excel);
}

export async function printCsv(terminal: Terminal, client: OperatorClient, path: string): Promise<void> {
  for await (const chunk of client.follow(path, SILENCE_MS, { accept: 'text/csv' })) {
    if (!(await isWritten(terminal.stdout, chunk))) return;
  }
}
