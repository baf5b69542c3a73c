/**
 * The demo: fills an empty node over the operator API with every kind of product and an account with 1,000 USDT, and prints
 * three curl lines and a program that work when pasted.
 *
 * The key is kept in the data folder, readable for its owner only, so that the next start prints working lines, too. Its
 * file is created empty before anything else: a start that finds it empty continues an interrupted one and creates only
 * what is missing. The supplier is the reference one (examples/supplier), in this process, with a new port and secret at
 * each start.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { ReferenceSupplier } from '../../examples/supplier/reference-supplier.ts';
import { OperatorClient } from '../cli/calls/operator-client.ts';
import { consoleUrl } from '../cli/console.ts';
import type { JsonObject } from '../cli/terminal/answer-text.ts';
import { writeDurably } from '../persistence/disk/durable-file.ts';
import { DEMO_CATALOG, type DemoProduct } from './demo-catalog.ts';

interface DemoNode {
  readonly buyerUrl: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
}

const CODES_PER_PRODUCT = 500;
const BALANCE_USDT = 1_000;
const SUPPLIER_NAME = 'Demo supplier';
const SUPPLIER_STOCK = 250;
const LATER_MS = 10_000;
const ACCOUNT_NAME = 'Demo reseller';
/** Longest wait for the supplier's stock in the catalog, before the node says that it is ready. Usually a moment. */
const STOCK_PATIENCE_MS = 20_000;
const LOOK_MS = 20;

/**
 * Fills an empty node, starts its supplier, and prints the account's key and what to paste. Resolves with what
 * stops the supplier; it does nothing for a folder that isn't the demo's.
 */
export async function startDemo(
  node: DemoNode,
  folder: string,
  print: (line: string) => void,
): Promise<() => Promise<void>> {
  const keyFile = join(folder, 'demo-key');
  if (!existsSync(keyFile)) {
    const { accounts, products } = await call(node, 'GET', '/status');
    if (Number(accounts) > 0 || Number(products) > 0) {
      print('--demo: this data folder already has accounts or products, so nothing is added.');
      return async () => undefined;
    }
    writeDurably(keyFile, '');
  }
  const file = join(folder, 'demo-supplier');
  const supplier = await ReferenceSupplier.start(randomBytes(24).toString('hex'), {
    file,
    laterMs: LATER_MS,
  });
  supplier.available = SUPPLIER_STOCK;
  const supplierId = await registerSupplier(node, supplier);
  supplier.reportTo = new URL(`/api/v1/supplier/${supplierId}/callback`, node.buyerUrl).href;
  if (readFileSync(keyFile, 'utf8') === '') writeDurably(keyFile, `${await fill(node, supplierId)}\n`);
  printDemo(node, folder, readFileSync(keyFile, 'utf8').trim(), print);
  return () => supplier.stop();
}

function printDemo(
  { buyerUrl, operatorUrl }: DemoNode,
  folder: string,
  apiKey: string,
  print: (line: string) => void,
): void {
  const order = `demo-${Date.now().toString(36)}`;
  print(`The demo account's API key is ${apiKey}. Try:`);
  print(`\ncurl -s ${buyerUrl}/health`);
  print(`curl -s -H 'X-API-Key: ${apiKey}' ${buyerUrl}/products`);
  print(
    `curl -s -H 'X-API-Key: ${apiKey}' -H 'Idempotency-Key: ${order}' -H 'Content-Type: application/json' ` +
      `-d '{"productId":1,"quantity":1,"expectedPriceUsdt":9.5}' ${buyerUrl}/orders`,
  );
  print('');
  print('The same purchase by a program, in the folder of this package (docs/client.md):');
  print('');
  print(program(buyerUrl, apiKey));
  print('');
  print('The demo catalog has every kind of product:');
  print('');
  for (const [index, { name, priceUsdt, kind }] of DEMO_CATALOG.entries()) {
    print(`  ${index + 1}  ${name.padEnd(18)} ${String(priceUsdt).padStart(5)} USDT  ${kind}`);
  }
  print('');
  print(`The operators' console is at ${consoleUrl(operatorUrl)}. This opens it, without a token to type:`);
  print('');
  print(`npx purser console --data '${folder}'`);
  print('');
}

function program(buyerUrl: string, apiKey: string): string {
  return `node --input-type=module -e '
import { PurserClient } from "purser/client";
const client = new PurserClient({ baseUrl: "${buyerUrl}", apiKey: "${apiKey}" });
const purchase = client.purchase({ productId: 1, quantity: 1, expectedPriceUsdt: 9.5 });
console.log("to be stored before it is sent:", purchase.idempotencyKey);
console.log(await purchase.send());
'`;
}

/** Creates or updates the supplier with its URL and secret of this start. Returns its id. */
async function registerSupplier(node: DemoNode, { url, secret }: ReferenceSupplier): Promise<number> {
  const known = await idOf(node, 'suppliers', 'supplierId', SUPPLIER_NAME);
  const [method, path] = known === undefined ? (['POST', ''] as const) : (['PATCH', `/${known}`] as const);
  const settings = { name: SUPPLIER_NAME, url, secret };
  return Number((await call(node, method, `/suppliers${path}`, settings)).supplierId);
}

/** Everything that isn't there yet, by its name or reference. Returns a new key of the account. */
async function fill(node: DemoNode, supplierId: number): Promise<string> {
  for (const product of DEMO_CATALOG) await addProduct(node, supplierId, product);
  const accountId =
    (await idOf(node, 'accounts', 'accountId', ACCOUNT_NAME)) ??
    (await call(node, 'POST', '/accounts', { name: ACCOUNT_NAME })).accountId;
  await call(node, 'POST', `/accounts/${accountId}/credits`, { amountUsdt: BALANCE_USDT, reference: 'demo' });
  const { apiKey } = await call(node, 'POST', `/accounts/${accountId}/key`, {});
  await suppliedStock(node);
  return String(apiKey);
}

/** The id of the first row with this name. */
async function idOf(
  node: DemoNode,
  list: 'accounts' | 'products' | 'suppliers',
  field: 'accountId' | 'productId' | 'supplierId',
  name: string,
): Promise<number | undefined> {
  const rows = (await call(node, 'GET', `/${list}`))[list] as readonly Record<string, unknown>[];
  const id = rows.find((row) => row.name === name)?.[field];
  return id === undefined ? undefined : Number(id);
}

/** Until the catalog says that the supplier has something, or it takes too long. */
async function suppliedStock(node: DemoNode): Promise<void> {
  const deadlineMs = performance.now() + STOCK_PATIENCE_MS;
  while (performance.now() < deadlineMs) {
    const { products } = await call(node, 'GET', '/products');
    const rows = products as readonly { supplierId?: number; availableStock: number }[];
    if (rows.every((row) => row.supplierId === undefined || row.availableStock > 0)) return;
    await delay(LOOK_MS);
  }
}

/** Adds a product with its items. Items that an earlier upload has added are duplicates the second time. */
async function addProduct(node: DemoNode, supplierId: number, product: DemoProduct): Promise<void> {
  const { codes, fileText, kind: _, supplierSku, ...fields } = product;
  const source = supplierSku === undefined ? {} : { supplierId, supplierSku };
  const productId =
    (await idOf(node, 'products', 'productId', product.name)) ??
    (await call(node, 'POST', '/products', { ...fields, ...source })).productId;
  if (codes !== undefined) {
    const items = Array.from({ length: CODES_PER_PRODUCT }, (_item, index) => codes(index));
    await call(node, 'POST', `/products/${productId}/stock`, { items });
  }
  if (fileText !== undefined) {
    const bytes = Buffer.from(fileText);
    const body = Readable.from([bytes]);
    const contentType = 'text/plain; charset=utf-8';
    const path = `/products/${productId}/file`;
    await clientOf(node).upload({ method: 'PUT', path, contentType, body, sizeBytes: bytes.length });
  }
}

type Method = 'GET' | 'POST' | 'PATCH';

async function call(node: DemoNode, method: Method, path: string, body?: JsonObject): Promise<JsonObject> {
  const answer = await clientOf(node).call({ method, path, ...(body !== undefined && { body }) });
  return answer.body;
}

function clientOf({ operatorUrl, operatorToken }: DemoNode): OperatorClient {
  return new OperatorClient({ url: operatorUrl, token: operatorToken });
}
