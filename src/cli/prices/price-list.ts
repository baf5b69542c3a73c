/** `purser price-list`: prices that several accounts have. */
import { type Command, InvalidArgumentError } from 'commander';
import { type PriceTier, price, priceTier } from '../argument.ts';
import { ClientCommands, changesIn, table } from '../calls/client-commands.ts';
import { fieldLines, type JsonObject, rowsOf, tableLines } from '../terminal/answer-text.ts';
import type { Terminal } from '../terminal/terminal.ts';

const LIST_COLUMNS = 'priceListId name percent accounts prices createdAt'.split(' ');
const PRICE_COLUMNS = 'productId priceUsdt priceTiers'.split(' ');

interface ListFlags {
  readonly name?: string;
  readonly percent?: number | 'none';
}

export interface PriceFlags {
  readonly price: number;
  readonly tier?: readonly PriceTier[];
}

export function addPriceListCommands(program: Command, terminal: Terminal): void {
  const parent = program.command('price-list').description('prices that several accounts have');
  const lists = new ClientCommands(parent, terminal);
  const create = lists
    .once('create', 'make a price list', (flags: ListFlags) => ['POST', '/price-lists', settingsOf(flags)])
    .requiredOption('--name <NAME>', 'your name for it');
  lists.list('list', 'list price lists', {
    path: '/price-lists',
    render: table('priceLists', LIST_COLUMNS),
  });
  lists.list('show <price-list>', 'show a price list and its prices', {
    path: '/price-lists/{id}',
    render: priceLines,
  });
  const update = lists
    .call('update <price-list>', 'change a price list', (listId: number, flags: ListFlags) => {
      return ['PATCH', `/price-lists/${listId}`, changesIn(settingsOf(flags), 'price-list update')];
    })
    .option('--name <NAME>', 'your name for it');
  for (const command of [create, update])
    command.option(
      '--percent <PERCENT|none>',
      'what it does not name costs so many percent more, or less: -12.5; none: what the product costs',
      percentage,
    );
  lists.call('delete <price-list>', 'delete a price list that no account has', (listId: number) => [
    'DELETE',
    `/price-lists/${listId}`,
  ]);
  addSetCommands(lists, 'price-list', '/price-lists');
}

/** `set` and `unset` of the price of a product, of a list or of an account. */
export function addSetCommands(commands: ClientCommands, owner: string, path: string): void {
  commands
    .call(
      `set <${owner}> <product>`,
      'set the price of a product; its tiers replace those of the product',
      (ownerId: number, productId: number, { price: priceUsdt, tier: priceTiers }: PriceFlags) => {
        return ['PUT', `${path}/${ownerId}/prices/${productId}`, { priceUsdt, priceTiers }];
      },
    )
    .requiredOption('--price <USDT>', 'price of one unit', price)
    .option('--tier <QUANTITY:PRICE>', 'price of one unit from a quantity on; may be repeated', priceTier);
  commands.call(
    `unset <${owner}> <product>`,
    'take the price of a product away',
    (ownerId: number, productId: number) => ['DELETE', `${path}/${ownerId}/prices/${productId}`],
  );
}

/** The prices of a page, below what else the answer says. */
export function priceLines(body: JsonObject): string[] {
  const { prices: _, ...head } = body;
  return [...fieldLines(head), '', ...tableLines(rowsOf(body, 'prices'), PRICE_COLUMNS)];
}

function settingsOf({ name, percent }: ListFlags): JsonObject {
  return { name, percent: percent === 'none' ? null : percent };
}

/** `none` stays a word here: commander takes a null for an option without a value. */
function percentage(text: string): number | 'none' {
  if (text === 'none') return text;
  if (/^[-+]?\d{1,4}(\.\d{1,2})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a percent with at most 2 decimals, such as -12.5, or none');
}
