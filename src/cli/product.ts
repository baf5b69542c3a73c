import { type Command, Option } from 'commander';
import {
  id,
  keyValue,
  mediaType,
  type PriceTier,
  price,
  priceTier,
  type Source,
  source,
  wholeNumber,
} from './argument.ts';
import { ClientCommands, type ClientFlags, changesIn, table } from './calls/client-commands.ts';
import { addProductTableCommands } from './product-table.ts';
import { uploadAndPrint } from './stock/upload.ts';
import type { Terminal } from './terminal/terminal.ts';

const COLUMNS = 'productId name type priceUsdt availableStock active createdAt'.split(' ');

interface ProductFlags {
  readonly id?: number;
  readonly name?: string;
  readonly description?: string;
  readonly instructions?: string;
  readonly type?: string;
  readonly price?: number;
  /** False for `--no-tier`. */
  readonly tier?: readonly PriceTier[] | false;
  readonly requiresRecipient?: boolean;
  readonly allowDuplicates?: boolean;
  readonly source?: readonly Source[];
  /** False for `--no-supplier`. */
  readonly supplier?: number | false;
  readonly supplierSku?: string;
  /** False for `--no-low-stock`. */
  readonly lowStock?: number | false;
  readonly active?: true;
  readonly inactive?: true;
  /** False for `--no-sku`, and so of others below. */
  readonly sku?: string | false;
  readonly category?: string | false;
  readonly attribute?: Readonly<Record<string, string>> | false;
  readonly imageUrl?: string | false;
  readonly visibility?: string;
  readonly minQuantity?: number;
  readonly maxQuantity?: number | false;
}

interface FileFlags extends ClientFlags {
  readonly contentType: string;
}

export function addProductCommands(program: Command, terminal: Terminal): void {
  const product = new ClientCommands(program.command('product').description('the catalog'), terminal);
  const create = product.once('create', 'add a product to the catalog', (flags: ProductFlags) => {
    const { description = '', instructions = '', type = 'standard', ...others } = settingsOf(flags);
    return ['POST', '/products', { productId: flags.id, description, instructions, type, ...others }];
  });
  addSettings(create)
    .requiredOption('--name <NAME>', 'commercial name')
    .requiredOption('--price <USDT>', 'unit price', price)
    .option('--id <N>', 'of a product that was lost before a restore: the number that it had', id);
  const render = table('products', COLUMNS);
  product.list('list', 'list products, a page at a time', { path: '/products', render, hasPeriod: true });
  product.read('show <product>', 'show one product', (productId: number) => [
    'GET',
    `/products/${productId}`,
  ]);
  const update = product.call(
    'update <product>',
    'change a product',
    (productId: number, flags: ProductFlags) => {
      return ['PATCH', `/products/${productId}`, changesIn(settingsOf(flags), 'product update')];
    },
  );
  addSettings(update)
    .option('--name <NAME>', 'commercial name')
    .option('--price <USDT>', 'unit price', price)
    .option('--no-tier', 'remove all volume prices')
    .option('--no-low-stock', 'no alert when stock is low')
    .option('--no-supplier', 'sell own stock only')
    .option('--no-sku', 'remove its own sku')
    .option('--no-category', 'remove its category')
    .option('--no-attribute', 'remove all attributes')
    .option('--no-image-url', 'remove its picture')
    .option('--no-max-quantity', 'an order may buy as many as there are')
    .option('--no-requires-recipient', 'buyers need not name a recipient')
    .option('--no-allow-duplicates', 'never sell the same text twice');
  addProductTableCommands(product, terminal);
  product
    .command('file <product>', 'set the file that a product of type file delivers from now on')
    .argument('<file>', 'file of up to 1 GiB, or - for standard input')
    .option('--content-type <TYPE>', 'media type sent to buyers', mediaType, 'application/octet-stream')
    .action(async (productId: number, file: string, flags: FileFlags) => {
      await uploadAndPrint(terminal, flags, file, {
        method: 'PUT',
        path: `/products/${productId}/file`,
        contentType: flags.contentType,
      });
    });
}

function addSettings(command: Command): Command {
  return command
    .option('--description <TEXT>', 'description of the product')
    .option('--instructions <TEXT>', 'usage notes delivered with a purchase')
    .addOption(new Option('--type <TYPE>', 'how it is delivered').choices(['standard', 'file', 'manual']))
    .option('--tier <N:USDT>', 'unit price from N items on; may be given several times', priceTier)
    .option('--requires-recipient', 'buyers must name a recipient')
    .option('--allow-duplicates', 'the same text may be sold more than once')
    .option('--low-stock <N>', 'alert when fewer than N are available', wholeNumber(1))
    .option(
      '--source <SUPPLIER:SKU>',
      'who delivers when own stock is not enough: all that it shall have, in order, each by one of these',
      source,
    )
    .option('--supplier <SUPPLIER>', 'id of the only supplier that delivers when own stock is not enough', id)
    .option('--supplier-sku <SKU>', "the supplier's name for the product")
    .option('--sku <SKU>', "the shop's own name for it, which no other product has")
    .option('--category <NAME>', 'where it stands in the catalog')
    .option(
      '--attribute <NAME=TEXT>',
      'such as region=EU; all that it shall have, each by one of these',
      keyValue,
    )
    .option('--image-url <URL>', 'https address of a picture')
    .addOption(
      new Option('--visibility <WHO>', 'listed: for accounts whose own prices or list name it').choices([
        'all',
        'listed',
      ]),
    )
    .option('--min-quantity <N>', 'the least that one order may buy', wholeNumber(1))
    .option('--max-quantity <N>', 'the most that one order may buy', wholeNumber(1))
    .addOption(new Option('--active', 'offer it to buyers').conflicts('inactive'))
    .option('--inactive', 'do not offer it to buyers');
}

function settingsOf(flags: ProductFlags) {
  return {
    name: flags.name,
    description: flags.description,
    instructions: flags.instructions,
    type: flags.type,
    priceUsdt: flags.price,
    priceTiers: flags.tier === false ? [] : flags.tier,
    requiresRecipient: flags.requiresRecipient,
    allowDuplicates: flags.allowDuplicates,
    lowStock: orNull(flags.lowStock),
    sources: flags.source,
    supplierId: flags.supplier === false ? null : flags.supplier,
    supplierSku: flags.supplier === false ? null : flags.supplierSku,
    active: flags.active ?? (flags.inactive === true ? false : undefined),
    sku: orNull(flags.sku),
    category: orNull(flags.category),
    attributes: flags.attribute === false ? {} : flags.attribute,
    imageUrl: orNull(flags.imageUrl),
    visibility: flags.visibility,
    minQuantity: flags.minQuantity,
    maxQuantity: orNull(flags.maxQuantity),
  };
}

/** A flag that says no takes the field away. */
function orNull<Value>(flag: Value | false): Value | null {
  return flag === false ? null : flag;
}
