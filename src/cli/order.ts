import type { Command } from 'commander';
import { price, wholeNumber } from './argument.ts';
import { ClientCommands, table } from './client-commands.ts';
import { readText } from './item-source.ts';
import type { Terminal } from './terminal.ts';

const COLUMNS = ['orderId', 'accountId', 'productId', 'quantity', 'totalPriceUsdt', 'status'];
const FILTERS = ['accountId', 'productId', 'status'];

export function addOrderCommands(program: Command, terminal: Terminal): void {
  const order = new ClientCommands(program.command('order').description('purchases'), terminal);
  const render = table('orders', COLUMNS);
  order.list('list', 'list orders, a page at a time', { path: '/orders', render, filters: FILTERS });
  order.read('show <order>', 'show one order', (orderId: number) => ['GET', `/orders/${orderId}`]);
  order
    .call(
      'open <account> <product>',
      'open an order from the bot, to be paid later',
      (accountId: number, productId: number, { quantity }: { readonly quantity?: number }) => {
        return ['POST', '/orders', { accountId, productId, quantity }];
      },
    )
    .option('--quantity <N>', 'how many (default: 1)', wholeNumber(1));
  order
    .call(
      'pay <order>',
      "pay an order from the bot with the account's wallet",
      (orderId: number, { expectedPrice }: { readonly expectedPrice?: number }) => {
        return ['POST', `/orders/${orderId}/pay`, { expectedPriceUsdt: expectedPrice }];
      },
    )
    .option('--expected-price <USDT>', 'refuse if the total price is different', price);
  order
    .call('complete <order>', 'deliver a pending order', async (orderId: number, file?: string) => {
      const items = file === undefined ? undefined : await linesOf(file, terminal);
      return ['POST', `/orders/${orderId}/complete`, { items }];
    })
    .argument('[file]', 'items to deliver, one per line; - for standard input');
  order.call('fail <order>', 'mark a pending order as failed, and return the money', (orderId: number) => {
    return ['POST', `/orders/${orderId}/fail`, {}];
  });
  order.call('refund <order>', 'return the money; the items are not sold again', (orderId: number) => {
    return ['POST', `/orders/${orderId}/refund`, {}];
  });
}

/** Few and small: the server takes 8 MiB. */
async function linesOf(file: string, { stdin }: Terminal): Promise<string[]> {
  return (await readText(file, stdin)).split(/\r?\n/).filter((line) => line !== '');
}
