import type { Command } from 'commander';
import { ClientCommands, table } from './calls/client-commands.ts';
import { readText } from './stock/item-source.ts';
import { type JsonObject, rowsOf, tableLines } from './terminal/answer-text.ts';
import type { Terminal } from './terminal/terminal.ts';

const OPEN_COLUMNS =
  'supplierPurchaseId supplierId phase cause productId quantity orderId reference createdAt'.split(' ');
const ENDED_COLUMNS =
  'supplierPurchaseId supplierId cause productId quantity result itemsDelivered itemsIntoStock endedAt reference'.split(
    ' ',
  );

interface SupplierFlags {
  readonly name?: string;
  readonly url?: string;
  readonly secretFile?: string;
}

export function addSupplierCommands(program: Command, terminal: Terminal): void {
  const description = 'suppliers, which deliver when own stock is not enough';
  const supplier = new ClientCommands(program.command('supplier').description(description), terminal);
  /** The secret comes from a file, because everybody on the machine sees command lines. */
  const settingsOf = async ({ name, url, secretFile }: SupplierFlags) => {
    const secret = secretFile === undefined ? undefined : await readText(secretFile, terminal.stdin);
    return { name, url, secret: secret?.replace(/\r?\n$/, '') };
  };
  supplier
    .once('create', 'add a supplier', async (flags: SupplierFlags) => {
      return ['POST', '/suppliers', await settingsOf(flags)];
    })
    .requiredOption('--name <NAME>', 'your name for the supplier')
    .requiredOption('--url <URL>', "base URL of the supplier's API")
    .requiredOption('--secret-file <FILE>', 'file with the shared secret; - for standard input');
  const columns = 'supplierId name url circuit openPurchases unresolvedPurchases createdAt'.split(' ');
  supplier.list('list', 'list suppliers, a page at a time', {
    path: '/suppliers',
    render: table('suppliers', columns),
    hasPeriod: true,
  });
  supplier
    .call('update <supplier>', 'change a supplier', async (supplierId: number, flags: SupplierFlags) => {
      return ['PATCH', `/suppliers/${supplierId}`, await settingsOf(flags)];
    })
    .option('--name <NAME>', 'your name for the supplier')
    .option('--url <URL>', "base URL of the supplier's API")
    .option('--secret-file <FILE>', 'file with the shared secret; - for standard input');
  supplier.call(
    'reconcile',
    'ask suppliers now about all open purchases, and show the results',
    () => ['POST', '/supplier-purchases/reconcile', {}],
    purchaseLines,
  );
  const purchases = new ClientCommands(
    program.command('supplier-purchase').description('purchases at suppliers: open, and recently ended'),
    terminal,
  );
  const path = '/supplier-purchases';
  purchases.list('list', 'list supplier purchases, a page at a time', {
    path,
    render: purchaseLines,
    hasPeriod: true,
  });
  purchases
    .call(
      'give-up',
      "close an unresolved supplier purchase without the supplier's answer",
      (reference: string) => {
        return ['POST', `${path}/${encodeURIComponent(reference)}/give-up`, {}];
      },
    )
    .argument('<reference>', 'reference sent to the supplier, such as pur_17_1767225600000');
}

/** Pages after the first have open ones only. */
function purchaseLines(body: JsonObject): string[] {
  const ended = rowsOf(body, 'ended');
  const open = tableLines(rowsOf(body, 'supplierPurchases'), OPEN_COLUMNS);
  return ['open:', ...open, '', 'recently ended:', ...tableLines(ended, ENDED_COLUMNS)];
}
