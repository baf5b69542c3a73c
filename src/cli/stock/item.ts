/**
 * `item find`: where a text is, or went. The text comes from a prompt or from standard input, never from an argument:
 * shells keep those, and everybody on the machine sees them.
 */
import type { Command } from 'commander';
import { id } from '../argument.ts';
import { ClientCommands, table } from '../calls/client-commands.ts';
import { usageError } from '../terminal/failure.ts';
import { lineTo } from '../terminal/question.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readText } from './item-source.ts';

const COLUMNS = ['productId', 'lotId', 'state', 'exact', 'orderId', 'accountId', 'at'];

export function addItemCommands(program: Command, terminal: Terminal): void {
  const parent = program.command('item').description('single items, by their text');
  const item = new ClientCommands(parent, terminal);
  item
    .call(
      'find',
      'find who has an item; its text is asked for, or read from standard input',
      async ({ product }: { readonly product?: number }) => {
        return ['POST', '/items/search', { text: await textFrom(terminal), productId: product }];
      },
      table('items', COLUMNS),
      ({ more }) => (more === true ? 'There are more: name a product with --product' : undefined),
    )
    .option('--product <ID>', 'only in this product', id);
}

async function textFrom(terminal: Terminal): Promise<string> {
  const { stdin } = terminal;
  const text =
    stdin.isTTY === true
      ? ((await lineTo(terminal, 'Text of the item: ')) ?? '')
      : (await readText('-', stdin)).replace(/\r?\n$/, '');
  if (text.trim() === '') throw usageError('there is no text to find: type it, or send it to standard input');
  return text;
}
