import { type Command, Option } from 'commander';
import { places, positiveAmount, price, wholeNumber } from './argument.ts';
import { ClientCommands, table } from './calls/client-commands.ts';
import { readText } from './stock/item-source.ts';
import { type JsonObject, rowsOf, tableLines } from './terminal/answer-text.ts';
import { confirm } from './terminal/confirmation.ts';
import type { Terminal } from './terminal/terminal.ts';

const COLUMNS = ['createdAt', 'orderId', 'accountId', 'productId', 'quantity', 'totalPriceUsdt', 'status'];
const FILTERS = ['accountId', 'productId', 'status', 'idempotencyKey', 'requestId', 'recipient'];

export function addOrderCommands(program: Command, terminal: Terminal): void {
  const order = new ClientCommands(program.command('order').description('purchases'), terminal);
  const render = table('orders', COLUMNS);
  order.list('list', 'list orders, a page at a time, or all of them as CSV', {
    path: '/orders',
    render,
    filters: FILTERS,
    hasPeriod: true,
    hasCsv: true,
  });
  order.read(
    'timeline <order>',
    'what happened to one order, oldest first',
    (orderId: number) => ['GET', `/orders/${orderId}/timeline`],
    timelineLines,
  );
  order
    .read('show <order>', 'show one order', (orderId: number, { items }: { readonly items: boolean }) => {
      return ['GET', `/orders/${orderId}${items ? '' : '?items=false'}`];
    })
    .option('--no-items', 'without what was delivered; then it is not on record that you saw it');
  order
    .once(
      'open <account> <product>',
      'open an order from the bot, to be paid later',
      (accountId: number, productId: number, { quantity, recipient }: OpenFlags) => {
        const given = recipient === undefined ? {} : { recipient: { username: recipient } };
        return ['POST', '/orders', { accountId, productId, quantity, ...given }];
      },
    )
    .option('--quantity <N>', 'how many (default: 1)', wholeNumber(1))
    .option('--recipient <USERNAME>', 'for whom, where the product asks for it');
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
  order
    .once(
      'refund <order>',
      'return the money, all that is left of it or a part; the items are not sold again',
      async (orderId: number, flags: RefundFlags) => {
        const { amount: amountUsdt, items } = flags;
        await confirm(terminal, `Refund ${whatOf(flags)} of order ${orderId}?`, flags);
        return ['POST', `/orders/${orderId}/refund`, { amountUsdt, items }];
      },
    )
    .addOption(new Option('--amount <USDT>', 'only so much').argParser(positiveAmount).conflicts('items'))
    .option('--items <N,…>', 'only the shares of these items; the first is 0', places)
    .option('--yes', 'do not ask');
  order
    .once(
      'replace <order>',
      'give new items from own stock for bad ones',
      (orderId: number, { items }: { readonly items: readonly number[] }) => {
        return ['POST', `/orders/${orderId}/replace`, { items }];
      },
    )
    .requiredOption('--items <N,…>', 'which ones; the first is 0', places);
}

interface OpenFlags {
  readonly quantity?: number;
  readonly recipient?: string;
}

interface RefundFlags {
  readonly amount?: number;
  readonly items?: readonly number[];
  readonly yes?: boolean;
}

function whatOf({ amount, items }: RefundFlags): string {
  if (amount !== undefined) return `${amount} USDT`;
  return items === undefined ? 'all that is left' : `items ${items.join(', ')}`;
}

/** A row an event: when, what, who, why, and what else it says. */
function timelineLines(body: JsonObject): string[] {
  const rows = rowsOf(body, 'events').map(({ at, type, operator, reason, seq, ...more }) => {
    const details = Object.entries(more).map(([name, value]) => `${name}=${plain(value)}`);
    return { at, type, operator, reason, details: details.join(' ') };
  });
  const lines = tableLines(rows, ['at', 'type', 'operator', 'reason', 'details']);
  return body.omitted === undefined ? lines : [...lines, `${body.omitted} events in the middle are left out`];
}

function plain(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Few and small: the server takes 8 MiB. */
async function linesOf(file: string, { stdin }: Terminal): Promise<string[]> {
  return (await readText(file, stdin)).split(/\r?\n/).filter((line) => line !== '');
}
