import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type JsonObject, rowsOf, tableLines } from './answer-text.ts';
import { id } from './argument.ts';
import { type ClientFlags, callAndPrint, clientCommand } from './client-command.ts';
import { CommandFailure, fileTrouble } from './failure.ts';
import { listCommand } from './list-command.ts';
import type { Terminal } from './terminal.ts';

const COLUMNS = ['supplierId', 'name', 'url'];
const OPEN_COLUMNS = [
  'supplierPurchaseId',
  'supplierId',
  'phase',
  'cause',
  'productId',
  'quantity',
  'orderId',
  'reference',
  'createdAt',
];
const ENDED_COLUMNS = [
  'supplierPurchaseId',
  'supplierId',
  'cause',
  'productId',
  'quantity',
  'result',
  'itemsDelivered',
  'itemsIntoStock',
  'endedAt',
  'reference',
];

interface SupplierFlags extends ClientFlags {
  readonly name?: string;
  readonly url?: string;
  readonly secretFile?: string;
}

export function addSupplierCommands(program: Command, terminal: Terminal): void {
  const supplier = program.command('supplier').description("who delivers what own stock can't");
  clientCommand(supplier, 'create', 'add a supplier')
    .requiredOption('--name <NAME>', 'what you call it')
    .requiredOption('--url <URL>', 'where its protocol begins')
    .requiredOption('--secret-file <FILE>', 'the file that holds the shared secret; - for standard input')
    .action((flags: SupplierFlags) => send(terminal, flags, 'POST', '/suppliers'));
  listCommand(supplier, terminal, { path: '/suppliers', key: 'suppliers', columns: COLUMNS });
  clientCommand(supplier, 'update', 'change a supplier')
    .argument('<supplier>', 'supplier id', id)
    .option('--name <NAME>', 'what you call it')
    .option('--url <URL>', 'where its protocol begins')
    .option('--secret-file <FILE>', 'the file that holds the shared secret; - for standard input')
    .action((supplierId: number, flags: SupplierFlags) =>
      send(terminal, flags, 'PATCH', `/suppliers/${supplierId}`),
    );
  clientCommand(
    supplier,
    'reconcile',
    'ask suppliers now about everything that is open, and show what came of it',
  ).action((flags: ClientFlags) =>
    callAndPrint(
      terminal,
      flags,
      { method: 'POST', path: '/supplier-purchases/reconcile', body: {} },
      supplierPurchaseLines,
    ),
  );
  const purchases = program
    .command('supplier-purchase')
    .description('purchases at suppliers: open, and ended lately');
  listCommand(purchases, terminal, {
    path: '/supplier-purchases',
    key: 'supplierPurchases',
    columns: OPEN_COLUMNS,
    render: supplierPurchaseLines,
  });
  clientCommand(purchases, 'give-up', 'end an unresolved one that its supplier never says the end of')
    .argument('<reference>', 'what the supplier knows it by, such as pur_17_1767225600000')
    .action((reference: string, flags: ClientFlags) => {
      const path = `/supplier-purchases/${encodeURIComponent(reference)}/give-up`;
      return callAndPrint(terminal, flags, { method: 'POST', path, body: {} });
    });
}

/** Pages after the first have open ones only. */
function supplierPurchaseLines(body: JsonObject): string[] {
  const ended = rowsOf(body, 'ended');
  const open = tableLines(rowsOf(body, 'supplierPurchases'), OPEN_COLUMNS);
  return ['open:', ...open, '', 'ended lately:', ...tableLines(ended, ENDED_COLUMNS)];
}

/** The secret comes from a file, because everybody on the machine sees command lines. */
async function send(
  terminal: Terminal,
  flags: SupplierFlags,
  method: 'POST' | 'PATCH',
  path: string,
): Promise<void> {
  const { name, url, secretFile } = flags;
  const secret = secretFile === undefined ? undefined : await secretIn(secretFile, terminal.stdin);
  await callAndPrint(terminal, flags, { method, path, body: { name, url, secret } });
}

/** Without the end of its line. */
async function secretIn(file: string, stdin: Readable): Promise<string> {
  try {
    return (file === '-' ? await text(stdin) : await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    throw new CommandFailure(`cannot read ${file}: ${fileTrouble(error)}`, { cause: error });
  }
}
