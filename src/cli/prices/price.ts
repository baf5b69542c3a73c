/** `purser price`: own prices of accounts, and what an account would pay. */
import type { Command } from 'commander';
import { id, wholeNumber } from '../argument.ts';
import { ClientCommands } from '../calls/client-commands.ts';
import { addImportFlags, type ImportFlags, importTable } from '../table-import.ts';
import { type JsonObject, tableLines } from '../terminal/answer-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addSetCommands, priceLines } from './price-list.ts';

interface ExplainFlags {
  readonly account: number;
  readonly product: number;
  readonly quantity?: number;
}

export function addPriceCommands(program: Command, terminal: Terminal): void {
  const parent = program.command('price').description('own prices of accounts, and what who pays');
  const prices = new ClientCommands(parent, terminal);
  prices.list('list <account>', "list an account's own prices", {
    path: '/accounts/{id}/prices',
    render: priceLines,
  });
  addSetCommands(prices, 'account', '/accounts');
  addImportFlags(
    prices.command(
      'import <price-list>',
      'set prices of a list from a table: sku or productId, priceUsdt, priceTiers',
    ),
  ).action(async (listId: number, file: string, flags: ImportFlags) => {
    await importTable(terminal, flags, file, `/price-lists/${listId}/import`, changeLines);
  });
  prices
    .read(
      'explain',
      'what an account would pay, and by which rule',
      ({ account, product, quantity = 1 }: ExplainFlags) => {
        const query = new URLSearchParams({ productId: String(product), quantity: String(quantity) });
        return ['GET', `/accounts/${account}/price?${query}`];
      },
    )
    .requiredOption('--account <ID>', 'who would buy', id)
    .requiredOption('--product <ID>', 'what', id)
    .option('--quantity <N>', 'how many (default: 1)', wholeNumber(1));
}

function changeLines(lines: readonly JsonObject[]): readonly string[] {
  const rows = lines.map(({ line, productId, oldPriceUsdt, newPriceUsdt, newestCostUsdt }) => ({
    line,
    product: productId,
    old: oldPriceUsdt,
    new: newPriceUsdt,
    newestCost: newestCostUsdt,
  }));
  return tableLines(rows, ['line', 'product', 'old', 'new', 'newestCost']);
}
