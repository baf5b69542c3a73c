/** `purser restore receipts FILE`: sends buyers' receipts to a running node after a restore, and says which count for nothing. */
import type { Command } from 'commander';
import { ClientCommands, type ClientFlags } from '../calls/client-commands.ts';
import { uploadAndPrint } from '../stock/upload.ts';
import { fieldLines, type JsonObject, rowsOf, tableLines } from '../terminal/answer-text.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';

const RECEIPTS = {
  method: 'POST',
  path: '/restore/receipts',
  contentType: 'text/plain; charset=utf-8',
} as const;

const EXPECTED =
  'a receipts file has one receipt a line, as buyers have them from GET /orders/{id}/receipt or in the file of purser/client';

/** `restore` is the command `purser restore`. */
export function addRestoreReceiptsCommand(restore: Command, terminal: Terminal): void {
  new ClientCommands(restore, terminal)
    .command('receipts', 'put back the orders that receipts prove, of a running node that was restored')
    .argument('<file>', 'one receipt a line, or - for standard input')
    .action(async (file: string, flags: ClientFlags) => {
      const { receipts, invalidCount } = (
        await uploadAndPrint(terminal, flags, file, RECEIPTS, linesOf, EXPECTED)
      ).body;
      if (receipts === 0) throw new CommandFailure(`there is no receipt in it: ${EXPECTED}`);
      if (invalidCount === 0) return;
      throw new CommandFailure(
        `${String(invalidCount)} of the receipts are invalid and changed nothing; ask those who gave them for others`,
      );
    });
}

function linesOf({ pending, invalid, ...counts }: JsonObject): string[] {
  return [
    ...fieldLines(counts),
    ...listed('pending: to be delivered by hand', pending, ['line', 'orderId', 'reason']),
    ...listed('invalid', invalid, ['line', 'reason']),
  ];
}

function listed(heading: string, rows: unknown, columns: readonly string[]): string[] {
  const found = rowsOf({ rows }, 'rows');
  return found.length === 0
    ? []
    : ['', `${heading}:`, ...tableLines(found, columns, Number.POSITIVE_INFINITY)];
}
