import type { Command } from 'commander';
import { price, wholeNumber } from './argument.ts';
import { ClientCommands, type ClientFlags, connect } from './client-commands.ts';
import { openItemSink } from './item-sink.ts';
import type { Terminal } from './terminal.ts';
import { uploadAndPrint } from './upload.ts';

/** The API's bound: one answer holds them all, in the server's memory and here. */
const MOST_PER_WITHDRAWAL = 10_000;
const TEXT = 'text/plain; charset=utf-8';

interface AddFlags extends ClientFlags {
  readonly allowDuplicates?: boolean;
  readonly dryRun?: boolean;
  readonly source?: string;
  readonly cost?: number;
  readonly reference?: string;
}

interface WithdrawFlags extends ClientFlags {
  readonly count: number;
  readonly output?: string;
}

export function addStockCommands(program: Command, terminal: Terminal): void {
  const parent = program.command('stock').description('the items that a product sells');
  const stock = new ClientCommands(parent, terminal);
  stock
    .command('add <product>', 'add items, one per line')
    .argument('<file>', 'text file of any size, or - for standard input')
    .option('--allow-duplicates', 'also add items that the product has or had before')
    .option(
      '--no-allow-duplicates',
      "only add items that the product never had, whatever the product's setting",
    )
    .option('--source <TEXT>', 'where the items are from')
    .option('--cost <USDT>', 'what one item cost', price)
    .option('--reference <TEXT>', 'your name for this lot, such as the number of an invoice')
    .option('--dry-run', 'add nothing: say how many items it would add, and which lines it would not')
    .action((productId: number, file: string, flags: AddFlags) => {
      const path = `/products/${productId}/stock${queryOf(flags)}`;
      return uploadAndPrint(terminal, flags, file, { method: 'POST', path, contentType: TEXT });
    });
  stock
    .command('withdraw <product>', 'remove unsold items and print them, one per line')
    .requiredOption(
      '--count <N>',
      `how many, oldest first; 1 to ${MOST_PER_WITHDRAWAL}`,
      wholeNumber(1, MOST_PER_WITHDRAWAL),
    )
    .option('--output <FILE>', 'write them to a new file instead')
    .action((productId: number, flags: WithdrawFlags) => withdrawStock(terminal, productId, flags));
}

function queryOf({ allowDuplicates, dryRun, source, cost, reference }: AddFlags): string {
  const query = new URLSearchParams();
  for (const [field, value] of Object.entries({
    allowDuplicates,
    dryRun,
    source,
    costUsdt: cost,
    reference,
  })) {
    if (value !== undefined) query.set(field, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}

/**
 * The output is opened first, because items that have left the server and can't be written are lost. For the same reason an
 * existing file is refused.
 */
async function withdrawStock(terminal: Terminal, productId: number, flags: WithdrawFlags): Promise<void> {
  const client = await connect(terminal, flags);
  const sink = openItemSink(flags.output, terminal);
  try {
    const path = `/products/${productId}/stock?count=${flags.count}`;
    const answer = await client.call({ method: 'DELETE', path });
    const items = itemsOf(answer.body.items);
    if (flags.json === true || items === undefined) sink.write([answer.text.trimEnd()]);
    else sink.write(items);
  } finally {
    sink.close();
  }
}

/** Undefined when the answer isn't understood: then all of it is written, because the items can't be fetched again. */
function itemsOf(items: unknown): readonly string[] | undefined {
  return Array.isArray(items) && items.every((item) => typeof item === 'string') ? items : undefined;
}
