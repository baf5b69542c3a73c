import type { Command } from 'commander';
import { id, wholeNumber } from './argument.ts';
import { type ClientFlags, clientCommand, connect } from './client-command.ts';
import { openItemSink } from './item-sink.ts';
import type { Terminal } from './terminal.ts';
import { uploadAndPrint } from './upload.ts';

/** One answer holds them all, in the server's memory and here. */
const MOST_PER_WITHDRAWAL = 100_000;

interface AddFlags extends ClientFlags {
  readonly allowDuplicates?: boolean;
}

interface WithdrawFlags extends ClientFlags {
  readonly count: number;
  readonly output?: string;
}

export function addStockCommands(program: Command, terminal: Terminal): void {
  const stock = program.command('stock').description('the items that a product sells');
  clientCommand(stock, 'add', 'add items, one a line')
    .argument('<product>', 'product id', id)
    .argument('<file>', 'text file of any size, or - for standard input')
    .option('--allow-duplicates', 'also add items that the product has or had already')
    .option('--no-allow-duplicates', 'only items that the product never had, whatever its own setting says')
    .action((productId: number, file: string, flags: AddFlags) => addStock(terminal, productId, file, flags));
  clientCommand(stock, 'withdraw', 'take unsold items out and print them, one a line')
    .argument('<product>', 'product id', id)
    .requiredOption('--count <N>', 'how many, oldest first', wholeNumber(1, MOST_PER_WITHDRAWAL))
    .option('--output <FILE>', 'write them to a new file instead')
    .action((productId: number, flags: WithdrawFlags) => withdrawStock(terminal, productId, flags));
}

function addStock(terminal: Terminal, productId: number, file: string, flags: AddFlags): Promise<void> {
  const query = flags.allowDuplicates === undefined ? '' : `?allowDuplicates=${flags.allowDuplicates}`;
  return uploadAndPrint(terminal, flags, file, {
    method: 'POST',
    path: `/products/${productId}/stock${query}`,
    contentType: 'text/plain; charset=utf-8',
  });
}

/**
 * The output is opened before anything is taken: items that left the server and found no place to go would
 * be lost. A name that is taken is refused for the same reason.
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

/** Undefined when the answer isn't understood; it is then kept as it is, since it can't be had again. */
function itemsOf(items: unknown): readonly string[] | undefined {
  return Array.isArray(items) && items.every((item) => typeof item === 'string') ? items : undefined;
}
