/**
 * Commands that send a table to be imported: their flags, and what they print. Errors are never passed over: each is told
 * with its line and column, and a table that was refused for them ends the command with 1.
 */
import { type Command, Option } from 'commander';
import type { ClientFlags } from './calls/client-commands.ts';
import { uploadAndPrint } from './stock/upload.ts';
import { fieldLines, type JsonObject, rowsOf, tableLines } from './terminal/answer-text.ts';
import { CommandFailure } from './terminal/failure.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface ImportFlags extends ClientFlags {
  readonly dryRun?: boolean;
  readonly leaveOutBadLines?: boolean;
  readonly charset?: string;
}

export function addImportFlags(command: Command): Command {
  return command
    .argument('<file>', 'table (CSV) with a header, or - for standard input')
    .option('--dry-run', 'change nothing: print what would change, from what to what')
    .option('--leave-out-bad-lines', 'import the rest when some lines have errors')
    .addOption(
      new Option('--charset <NAME>', 'of a table without a byte order mark that is not UTF-8').choices([
        'windows-1252',
      ]),
    );
}

/** `changes` writes the `lines` of a dry run. */
export async function importTable(
  terminal: Terminal,
  flags: ImportFlags,
  file: string,
  path: string,
  changes: (lines: readonly JsonObject[]) => readonly string[],
): Promise<void> {
  const query = new URLSearchParams();
  for (const field of ['dryRun', 'leaveOutBadLines', 'charset'] as const)
    if (flags[field] !== undefined) query.set(field, String(flags[field]));
  const target = {
    method: 'POST',
    path: query.size === 0 ? path : `${path}?${query}`,
    contentType: 'text/csv',
  } as const;
  const render = (body: JsonObject) => importLines(body, changes);
  const { body } = await uploadAndPrint(terminal, flags, file, target, render);
  const { errorCount } = body;
  if (flags.leaveOutBadLines === true || typeof errorCount !== 'number' || errorCount === 0) return;
  const lines = errorCount === 1 ? 'One line has an error' : `${errorCount} lines have errors`;
  throw new CommandFailure(
    `${lines}, so nothing ${flags.dryRun === true ? 'would change' : 'changed'}: mend the file, or leave them out with --leave-out-bad-lines.`,
  );
}

function importLines(
  { errors, lines, ...counts }: JsonObject,
  changes: (lines: readonly JsonObject[]) => readonly string[],
): string[] {
  const told = rowsOf({ errors }, 'errors');
  const more = Number(counts.errorCount) - told.length;
  const changed = rowsOf({ lines }, 'lines');
  const unshown = Number(counts.created) + Number(counts.updated) - changed.length;
  return [
    ...(changed.length === 0 ? [] : [...changes(changed), '']),
    ...(lines === undefined || unshown <= 0 ? [] : [`and ${unshown} more lines`, '']),
    ...(told.length === 0 ? [] : [...tableLines(told, ['line', 'column', 'message'], MESSAGE_LENGTH), '']),
    ...(more <= 0 ? [] : [`and ${more} more errors`, '']),
    ...fieldLines(counts),
  ];
}

const MESSAGE_LENGTH = 200;
