import type { Command } from 'commander';
import { wholeNumber } from './argument.ts';
import { ClientCommands, type ClientFlags, connect } from './client-commands.ts';
import { openItemSink } from './item-sink.ts';
import type { Terminal } from './terminal.ts';
import { uploadAndPrint } from './upload.ts';

/** One answer holds them all, in the server's memory and here. */
const MOST_PER_WITHDRAWAL = 100_000;
const TEXT = 'text/plain; charset=utf-8';

interface AddFlags extends ClientFlags {
  readonly allowDuplicates?: boolean;
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
    .action((productId: number, file: string, flags: AddFlags) => {
      const query = flags.allowDuplicates === undefined ? '' : `?allowDuplicates=${flags.allowDuplicates}`;
      const path = `/products/${productId}/stock${query}`;
      return uploadAndPrint(terminal, flags, file, { method: 'POST', path, contentType: TEXT });
    });
  stock
    .command('withdraw <product>', 'remove unsold items and print them, one per line')
    .requiredOption('--count <N>', 'how many, oldest first', wholeNumber(1, MOST_PER_WITHDRAWAL))
    .option('--output <FILE>', 'write them to a new file instead')
    .action((productId: number, flags: WithdrawFlags) => withdrawStock(terminal, productId, flags));
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
