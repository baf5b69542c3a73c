import type { ClientCommands } from './calls/client-commands.ts';
import { type ClientFlags, connect } from './calls/client-commands.ts';
import { printCsv } from './calls/csv-flags.ts';
import { addImportFlags, type ImportFlags, importTable } from './table-import.ts';
import { type JsonObject, rowsOf, tableLines } from './terminal/answer-text.ts';
import type { Terminal } from './terminal/terminal.ts';

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
      await printCsv(terminal, client, '/products');
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
