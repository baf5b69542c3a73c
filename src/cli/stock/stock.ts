import { type Command, Option } from 'commander';
import { price, wholeNumber } from '../argument.ts';
import {
  addPage,
  ClientCommands,
  type ClientFlags,
  connect,
  keyed,
  keyOf,
  type PageFlags,
} from '../calls/client-commands.ts';
import { rowsOf } from '../terminal/answer-text.ts';
import { printLines, type Terminal, visible } from '../terminal/terminal.ts';
import { openItemSink } from './item-sink.ts';
import { uploadAndPrint } from './upload.ts';
import { uploadLines } from './upload-lines.ts';

/** The API's bound: one answer holds them all, in the server's memory and here. */
const MOST_PER_WITHDRAWAL = 10_000;
const TEXT = 'text/plain; charset=utf-8';
const TABLE = 'text/csv';

interface AddFlags extends ClientFlags {
  readonly allowDuplicates?: boolean;
  readonly dryRun?: boolean;
  readonly leaveOutBadLines?: boolean;
  readonly column?: string;
  readonly charset?: string;
  readonly source?: string;
  readonly cost?: number;
  readonly reference?: string;
}

interface WithdrawFlags extends ClientFlags {
  readonly count: number;
  readonly output?: string;
}

interface WithdrawnFlags extends ClientFlags, PageFlags {
  readonly output?: string;
}

export function addStockCommands(program: Command, terminal: Terminal): void {
  const parent = program.command('stock').description('the items that a product sells');
  const stock = new ClientCommands(parent, terminal);
  keyed(stock.command('add <product>', 'add items, one per line'))
    .argument('<file>', 'text file or table (CSV) of any size, or - for standard input')
    .option(
      '--column <NAME>',
      'the file is a table: add what is in this column; its place, from 1, in a table without a header',
    )
    .addOption(
      new Option('--charset <NAME>', 'of a table without a byte order mark that is not UTF-8').choices([
        'windows-1252',
      ]),
    )
    .option('--allow-duplicates', 'also add items that the product has or had before')
    .option(
      '--no-allow-duplicates',
      "only add items that the product never had, whatever the product's setting",
    )
    .option('--source <TEXT>', 'where the items are from')
    .option('--cost <USDT>', 'what one item cost', price)
    .option('--reference <TEXT>', 'your name for this lot, such as the number of an invoice')
    .option('--dry-run', 'add nothing: say how many items it would add, and which lines it would not')
    .option('--leave-out-bad-lines', 'add the rest when some lines can be no item, and say which')
    .action(async (productId: number, file: string, flags: AddFlags) => {
      const path = `/products/${productId}/stock${queryOf(flags)}`;
      const isTable = flags.column !== undefined || flags.charset !== undefined;
      const contentType = isTable ? TABLE : TEXT;
      const target = { method: 'POST', path, contentType, key: keyOf(flags) } as const;
      await uploadAndPrint(terminal, flags, file, target, (body) => uploadLines(body, isTable));
    });
  keyed(stock.command('withdraw <product>', 'remove unsold items and print them, one per line'))
    .requiredOption(
      '--count <N>',
      `how many, oldest first; 1 to ${MOST_PER_WITHDRAWAL}`,
      wholeNumber(1, MOST_PER_WITHDRAWAL),
    )
    .option('--output <FILE>', 'write them to a new file instead')
    .action((productId: number, flags: WithdrawFlags) => withdrawStock(terminal, productId, flags));
  addPage(
    stock.readingCommand(
      'withdrawn <product>',
      'print items again that were withdrawn and not recalled, the last withdrawn come last',
    ),
    MOST_PER_WITHDRAWAL,
  )
    .option('--output <FILE>', 'write them to a new file instead')
    .action((productId: number, flags: WithdrawnFlags) => printWithdrawn(terminal, productId, flags));
}

function queryOf(flags: AddFlags): string {
  const { allowDuplicates, dryRun, leaveOutBadLines, column, charset, source, cost, reference } = flags;
  const query = new URLSearchParams();
  for (const [field, value] of Object.entries({
    allowDuplicates,
    dryRun,
    leaveOutBadLines,
    column,
    charset,
    source,
    costUsdt: cost,
    reference,
  })) {
    if (value !== undefined) query.set(field, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}

/**
 * The output is opened first, and an existing file is refused: items leave the server only when there is a place for
 * them.
 */
async function withdrawStock(terminal: Terminal, productId: number, flags: WithdrawFlags): Promise<void> {
  const client = await connect(terminal, flags);
  const again = `print them with \`purser stock withdrawn ${productId} --limit ${flags.count}\``;
  const sink = openItemSink(flags.output, terminal, again);
  try {
    const path = `/products/${productId}/stock?count=${flags.count}`;
    const answer = await client.call({ method: 'DELETE', path, key: keyOf(flags) });
    const items = textsOf(answer.body.items);
    if (flags.json === true || items === undefined) await sink.write([answer.text.trimEnd()]);
    else await sink.write(items);
  } finally {
    sink.close();
  }
}

/** Prints withdrawn items in the order in which they were withdrawn. */
async function printWithdrawn(terminal: Terminal, productId: number, flags: WithdrawnFlags): Promise<void> {
  const client = await connect(terminal, flags);
  const sink = openItemSink(flags.output, terminal, 'repeat the command');
  try {
    const query = new URLSearchParams();
    if (flags.limit !== undefined) query.set('limit', String(flags.limit));
    if (flags.cursor !== undefined) query.set('cursor', flags.cursor);
    const path = `/products/${productId}/stock/withdrawn${query.size === 0 ? '' : `?${query}`}`;
    const { text, body } = await client.call({ method: 'GET', path });
    const items = textsOf(rowsOf(body, 'items').map((row) => row.text));
    if (flags.json === true || items === undefined) return await sink.write([text.trimEnd()]);
    await sink.write(items.toReversed());
    const { nextCursor } = body;
    if (typeof nextCursor !== 'string') return;
    printLines(terminal.stderr, [`Earlier ones: repeat with --cursor ${visible(nextCursor)}`]);
  } finally {
    sink.close();
  }
}

/** Undefined when the answer isn't understood: then all of it is written, as it is. */
function textsOf(items: unknown): readonly string[] | undefined {
  return Array.isArray(items) && items.every((item) => typeof item === 'string') ? items : undefined;
}
