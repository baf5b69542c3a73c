import { type Command, Option } from 'commander';
import { id, mediaType, type PriceTier, price, priceTier } from './argument.ts';
import { type ClientFlags, callAndPrint, clientCommand } from './client-command.ts';
import { UsageError } from './failure.ts';
import { listCommand } from './list-command.ts';
import type { Terminal } from './terminal.ts';
import { uploadAndPrint } from './upload.ts';

const COLUMNS = ['productId', 'name', 'type', 'priceUsdt', 'availableStock', 'active'];

interface ProductFlags extends ClientFlags {
  readonly name?: string;
  readonly description?: string;
  readonly instructions?: string;
  readonly type?: string;
  readonly price?: number;
  /** False for `--no-tier`. */
  readonly tier?: readonly PriceTier[] | false;
  readonly requiresRecipient?: boolean;
  readonly allowDuplicates?: boolean;
  /** False for `--no-supplier`. */
  readonly supplier?: number | false;
  readonly sku?: string;
  readonly active?: true;
  readonly inactive?: true;
}

interface FileFlags extends ClientFlags {
  readonly contentType: string;
}

export function addProductCommands(program: Command, terminal: Terminal): void {
  const product = program.command('product').description('the catalog');
  addSettings(clientCommand(product, 'create', 'add a product to the catalog'))
    .requiredOption('--name <NAME>', 'commercial name')
    .requiredOption('--price <USDT>', 'price of one', price)
    .action((flags: ProductFlags) => {
      const body = { description: '', instructions: '', type: 'standard', ...settingsOf(flags) };
      return callAndPrint(terminal, flags, { method: 'POST', path: '/products', body });
    });
  listCommand(product, terminal, { path: '/products', key: 'products', columns: COLUMNS });
  clientCommand(product, 'show', 'one product')
    .argument('<product>', 'product id', id)
    .action((productId: number, flags: ClientFlags) =>
      callAndPrint(terminal, flags, { method: 'GET', path: `/products/${productId}` }),
    );
  addSettings(clientCommand(product, 'update', 'change a product'))
    .argument('<product>', 'product id', id)
    .option('--name <NAME>', 'commercial name')
    .option('--price <USDT>', 'price of one', price)
    .option('--no-tier', 'drop all volume prices')
    .option('--no-supplier', 'sell own stock only')
    .option('--no-requires-recipient', 'buyers need not name a recipient')
    .option('--no-allow-duplicates', 'never sell the same text twice')
    .action((productId: number, flags: ProductFlags) => {
      const body = settingsOf(flags);
      if (Object.keys(body).length === 0) {
        throw new UsageError('nothing to change: see `purser product update --help`');
      }
      return callAndPrint(terminal, flags, { method: 'PATCH', path: `/products/${productId}`, body });
    });
  clientCommand(product, 'file', 'set what a product of type file delivers from now on')
    .argument('<product>', 'product id', id)
    .argument('<file>', 'file of up to 1 GiB, or - for standard input')
    .option('--content-type <TYPE>', 'what buyers are told it is', mediaType, 'application/octet-stream')
    .action((productId: number, file: string, flags: FileFlags) =>
      uploadAndPrint(terminal, flags, file, {
        method: 'PUT',
        path: `/products/${productId}/file`,
        contentType: flags.contentType,
      }),
    );
}

function addSettings(command: Command): Command {
  return command
    .option('--description <TEXT>', 'what the product includes')
    .option('--instructions <TEXT>', 'usage notes delivered with a purchase')
    .addOption(new Option('--type <TYPE>', 'how it is delivered').choices(['standard', 'file', 'manual']))
    .option('--tier <N:USDT>', 'price of one from N on; may be given several times', priceTier)
    .option('--requires-recipient', 'buyers must name a recipient')
    .option('--allow-duplicates', 'its goods are alike: the same text may be sold again')
    .option('--supplier <SUPPLIER>', "supplier id: who delivers what own stock can't", id)
    .option('--sku <SKU>', 'what the supplier calls it')
    .addOption(new Option('--active', 'offer it to buyers').conflicts('inactive'))
    .option('--inactive', 'do not offer it to buyers');
}

function settingsOf(flags: ProductFlags) {
  const active = flags.active ?? (flags.inactive === true ? false : undefined);
  const settings = {
    name: flags.name,
    description: flags.description,
    instructions: flags.instructions,
    type: flags.type,
    priceUsdt: flags.price,
    priceTiers: flags.tier === false ? [] : flags.tier,
    requiresRecipient: flags.requiresRecipient,
    allowDuplicates: flags.allowDuplicates,
    supplierId: flags.supplier === false ? null : flags.supplier,
    supplierSku: flags.supplier === false ? null : flags.sku,
    active,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
