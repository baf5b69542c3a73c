import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { id, price, wholeNumber } from './argument.ts';
import { type ClientFlags, callAndPrint, clientCommand } from './client-command.ts';
import { CommandFailure, fileTrouble } from './failure.ts';
import { listCommand } from './list-command.ts';
import type { Terminal } from './terminal.ts';

const COLUMNS = ['orderId', 'accountId', 'productId', 'quantity', 'totalPriceUsdt', 'status'];

interface OpenFlags extends ClientFlags {
  readonly quantity?: number;
}

interface PayFlags extends ClientFlags {
  readonly expectedPrice?: number;
}

export function addOrderCommands(program: Command, terminal: Terminal): void {
  const order = program.command('order').description('what was bought');
  const filters = ['accountId', 'productId', 'status'];
  listCommand(order, terminal, { path: '/orders', key: 'orders', columns: COLUMNS, filters });
  clientCommand(order, 'show', 'one order')
    .argument('<order>', 'order id', id)
    .action((orderId: number, flags: ClientFlags) =>
      callAndPrint(terminal, flags, { method: 'GET', path: `/orders/${orderId}` }),
    );
  clientCommand(order, 'open', 'an order from the bot, to be paid later')
    .argument('<account>', 'account id', id)
    .argument('<product>', 'product id', id)
    .option('--quantity <N>', 'how many (default: 1)', wholeNumber(1))
    .action((accountId: number, productId: number, { quantity, ...flags }: OpenFlags) => {
      const body = { accountId, productId, ...(quantity === undefined ? {} : { quantity }) };
      return callAndPrint(terminal, flags, { method: 'POST', path: '/orders', body });
    });
  clientCommand(order, 'pay', "pay an order from the bot from the account's wallet")
    .argument('<order>', 'order id', id)
    .option('--expected-price <USDT>', 'refuse to pay another total', price)
    .action((orderId: number, { expectedPrice, ...flags }: PayFlags) =>
      move(terminal, flags, orderId, 'pay', { expectedPriceUsdt: expectedPrice }),
    );
  clientCommand(order, 'complete', 'deliver a pending order')
    .argument('<order>', 'order id', id)
    .argument('[file]', 'what to deliver, one item a line; - for standard input')
    .action(async (orderId: number, file: string | undefined, flags: ClientFlags) => {
      const items = file === undefined ? undefined : await linesOf(file, terminal.stdin);
      return move(terminal, flags, orderId, 'complete', { items });
    });
  for (const [step, what] of [
    ['fail', 'an order that is not delivered; what was paid returns'],
    ['refund', 'return what was paid; items are not sold again'],
  ] as const) {
    clientCommand(order, step, what)
      .argument('<order>', 'order id', id)
      .action((orderId: number, flags: ClientFlags) => move(terminal, flags, orderId, step, {}));
  }
}

/** Fields that are undefined are left out of the body. */
function move(
  terminal: Terminal,
  flags: ClientFlags,
  orderId: number,
  step: string,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  return callAndPrint(terminal, flags, { method: 'POST', path: `/orders/${orderId}/${step}`, body });
}

/** Few and small: the server takes 8 MiB. */
async function linesOf(file: string, stdin: Readable): Promise<string[]> {
  let content: string;
  try {
    content = file === '-' ? await text(stdin) : await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`cannot read ${file}: ${fileTrouble(error)}`, { cause: error });
  }
  return content.split(/\r?\n/).filter((line) => line !== '');
}
