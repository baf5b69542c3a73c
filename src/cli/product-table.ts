import type { ClientCommands } from './calls/client-commands.ts';
import { type ClientFlags, connect } from './calls/client-commands.ts';
import { addImportFlags, type ImportFlags, importTable } from './table-import.ts';
import { type JsonObject, rowsOf, tableLines } from './terminal/answer-text.ts';
import { isWritten, type Terminal } from './terminal/terminal.ts';

/** The longest wait for more of the catalog. */
const SILENCE_MS = 60_000;
const COLUMNS = ['line', 'sku', 'field', 'old', 'new'];

/** Products as a table, in and out. */
export function addProductTableCommands(product: ClientCommands, terminal: Terminal): void {
  addImportFlags(
    product.command('import', 'create and change products from a table, found by their sku'),
  ).action(async (file: string, flags: ImportFlags) => {
    await importTable(terminal, flags, file, '/products/import', changeLines);
  });
  product
    .readingCommand('export', 'print the whole catalog as a table that `product import` takes')
    .action(async (flags: ClientFlags) => {
      const client = await connect(terminal, flags);
      for await (const chunk of client.follow('/products', SILENCE_MS, { accept: 'text/csv' })) {
        if (!(await isWritten(terminal.stdout, chunk))) return;
      }
    });
}

function changeLines(lines: readonly JsonObject[]): readonly string[] {
  const rows = lines.flatMap(({ line, sku, productId, changes }) =>
    rowsOf({ changes }, 'changes').map(({ field, from, to }) => ({
      line,
      sku,
      field,
      old: productId === undefined ? undefined : from,
      new: to,
    })),
  );
  return tableLines(rows, COLUMNS);
}
