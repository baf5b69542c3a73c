import type { Command } from 'commander';
import { type JsonObject, rowsOf, tableLines } from './answer-text.ts';
import { price, wholeNumber } from './argument.ts';
import { ClientCommands, table } from './client-commands.ts';
import { readText } from './item-source.ts';
import type { Terminal } from './terminal.ts';

const COLUMNS = ['createdAt', 'orderId', 'accountId', 'productId', 'quantity', 'totalPriceUsdt', 'status'];
/** Flags of `order list`, and the fields of the query that they are. */
const FILTERS: readonly [flag: string, description: string, field: string][] = [
  ['--account-id <ID>', 'only orders of this account', 'accountId'],
  ['--product-id <ID>', 'only orders of this product', 'productId'],
  ['--status <STATUS>', 'processing, pending_delivery, completed, failed or refunded', 'status'],
  ['--from <TIME>', 'only orders made then or later, such as 2026-10-31', 'from'],
  ['--until <TIME>', 'only orders made before', 'to'],
  ['--idempotency-key <KEY>', 'the order of this key; needs --account-id', 'idempotencyKey'],
  ['--request-id <ID>', 'the order of the request that was answered with this id', 'requestId'],
  ['--recipient <NAME>', 'only orders for this recipient, with or without its @', 'recipient'],
  ['--cursor <CURSOR>', 'nextCursor of the previous page', 'cursor'],
  ['--limit <N>', 'at most so many', 'limit'],
];

export function addOrderCommands(program: Command, terminal: Terminal): void {
  const order = new ClientCommands(program.command('order').description('purchases'), terminal);
  const list = order.call(
    'list',
    'list orders, the newest first, a page at a time',
    (flags: Readonly<Record<string, string | undefined>>) => {
      const query = new URLSearchParams();
      for (const [flag, , field] of FILTERS) {
        const value = flags[nameOfFlag(flag)];
        if (value !== undefined) query.set(field, value);
      }
      return ['GET', query.size === 0 ? '/orders' : `/orders?${query}`];
    },
    table('orders', COLUMNS),
  );
  for (const [flag, description] of FILTERS) list.option(flag, description);
  order.call(
    'timeline <order>',
    'what happened to one order, oldest first',
    (orderId: number) => ['GET', `/orders/${orderId}/timeline`],
    timelineLines,
  );
  order.call('show <order>', 'show one order', (orderId: number) => ['GET', `/orders/${orderId}`]);
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

/** commander gives the flag `--account-id` the name `accountId`. */
function nameOfFlag(flag: string): string {
  const [name = ''] = flag.slice(2).split(' ');
  return name.replace(/-[a-z]/g, (part) => part.slice(1).toUpperCase());
}

/** A row an event: when, what, who, why, and what else it says. */
function timelineLines(body: JsonObject): string[] {
  const rows = rowsOf(body, 'events').map(({ at, type, operator, reason, seq, ...more }) => {
    const details = Object.entries(more).map(([name, value]) => `${name}=${plain(value)}`);
    return { time: new Date(Number(at)).toISOString(), type, operator, reason, details: details.join(' ') };
  });
  const lines = tableLines(rows, ['time', 'type', 'operator', 'reason', 'details']);
  return body.omitted === undefined ? lines : [...lines, `${body.omitted} events in the middle are left out`];
}

function plain(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Few and small: the server takes 8 MiB. */
async function linesOf(file: string, { stdin }: Terminal): Promise<string[]> {
  return (await readText(file, stdin)).split(/\r?\n/).filter((line) => line !== '');
}
