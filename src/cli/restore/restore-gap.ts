/** `purser restore status|quarantine|release|withdraw`: what a restore has left open, at the running node. */
import type { Command } from 'commander';
import { id, wholeNumber } from '../argument.ts';
import { ClientCommands } from '../calls/client-commands.ts';
import { takenLines } from '../restore-taken.ts';
import {
  fieldLines,
  isJsonObject,
  type JsonObject,
  rowsOf,
  tableLines,
  timeText,
} from '../terminal/answer-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addOpenCommand } from './restore-open.ts';

interface ProductFlags {
  readonly product?: number;
  readonly count?: number;
}

const DEBIT_COLUMNS = ['orderId', 'accountId', 'amountUsdt', 'since'];

/** `parent` is the command `restore`. */
export function addGapCommands(parent: Command, terminal: Terminal): void {
  const commands = new ClientCommands(parent, terminal);
  commands.read('status', 'say what the restore has left open', () => ['GET', '/restore'], statusLines);
  commands
    .call(
      'quarantine',
      'set the next items of each product aside: they may have been sold',
      ({ count, product }: ProductFlags) => ['POST', '/restore/quarantine', { count, productId: product }],
      productLines,
    )
    .requiredOption('--count <K>', 'how many of each', wholeNumber(1, 1_000_000))
    .option('--product <ID>', 'of this product only', id);
  for (const [verb, description] of [
    ['release', 'put what was set aside, and nobody has claimed, on sale again'],
    ['withdraw', 'take what was set aside, and nobody has claimed, off sale for good'],
  ] as const) {
    commands
      .call(
        verb,
        description,
        ({ product }: ProductFlags) => ['POST', `/restore/${verb}`, { productId: product }],
        productLines,
      )
      .option('--product <ID>', 'of this product only', id);
  }
  addOpenCommand(commands, terminal, statusLines);
}

/** A gap as an answer has it, with dates, and without a null that reads like a number. */
export function gapForPeople(gap: unknown): unknown {
  if (!isJsonObject(gap)) return gap;
  const { from, to, orders, ...others } = gap;
  return {
    from: dateText(from),
    ...(to === undefined ? {} : { to: dateText(to) }),
    ...(orders === undefined ? {} : { orders: orders ?? 'unknown' }),
    ...others,
  };
}

function dateText(value: unknown): unknown {
  return typeof value === 'number' ? timeText(value) : value;
}

function statusLines(body: JsonObject): string[] {
  const { waitingDebits: _, takenAway, ...status } = body;
  const debits = rowsOf(body, 'waitingDebits').map((row) => ({ ...row, since: dateText(row.since) }));
  return [
    ...fieldLines('gap' in status ? { ...status, gap: gapForPeople(status.gap) } : status),
    ...(debits.length === 0 ? [] : ['', 'waiting debits:', ...tableLines(debits, DEBIT_COLUMNS)]),
    ...takenLines(takenAway),
  ];
}

function productLines(body: JsonObject): string[] {
  const { products: _, ...sums } = body;
  const rows = rowsOf(body, 'products');
  return [...fieldLines(sums), '', ...tableLines(rows, Object.keys(rows[0] ?? {}))];
}
