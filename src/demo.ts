/**
 * The demo: an empty node gets a small catalog and an account with 1,000 USDT, over the operator API like any
 * operator would, and three curl lines and a program that work when pasted.
 *
 * The key is kept in the data folder, for its owner only, so that a second start prints lines that work, too.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { writeDurably } from './persistence/folder/durable-file.ts';

interface DemoNode {
  readonly buyerUrl: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
}

interface DemoProduct {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly priceUsdt: number;
  readonly priceTiers?: readonly { readonly minQuantity: number; readonly priceUsdt: number }[];
  readonly codes: (index: number) => string;
}

/** Sold as a file: every buyer gets the same one. */
const GUIDE = {
  name: 'Reseller handbook',
  description: 'A short text file, downloaded after the purchase.',
  instructions: 'GET the downloadUrl of your order.',
  type: 'file',
  priceUsdt: 2,
};
const GUIDE_TEXT = `Reseller handbook

One Idempotency-Key per purchase you intend. Store it before you send, and send the same again when in doubt.
`;

const CODES_PER_PRODUCT = 500;
const BALANCE_USDT = 1_000;

const CATALOG: readonly DemoProduct[] = [
  {
    name: 'Game card 10',
    description: 'A code worth 10 in the shop of an imaginary game.',
    instructions: 'Redeem the code under Account, Redeem.',
    priceUsdt: 9.5,
    codes: (index) => `GAME10-${code(index)}`,
  },
  {
    name: 'Streaming month',
    description: 'One month of an imaginary streaming service; cheaper from 10 on.',
    instructions: 'Enter the PIN on the television.',
    priceUsdt: 4.25,
    priceTiers: [
      { minQuantity: 10, priceUsdt: 3.99 },
      { minQuantity: 100, priceUsdt: 3.5 },
    ],
    codes: (index) => `STREAM-${code(index)}`,
  },
];

/** Fills an empty node, and prints its key and what to paste. */
export async function printDemo(
  node: DemoNode,
  folder: string,
  print: (line: string) => void,
): Promise<void> {
  const keyFile = join(folder, 'demo-key');
  if (!existsSync(keyFile)) {
    const status = await call(node, 'GET', '/status');
    if (Number(status.accounts) > 0 || Number(status.products) > 0) {
      print('--demo: this data folder has accounts or products already, so it is left as it is.');
      return;
    }
    writeDurably(keyFile, `${await fill(node)}\n`);
  }
  const apiKey = readFileSync(keyFile, 'utf8').trim();
  const order = `demo-${Date.now().toString(36)}`;
  print(`The demo account's API key is ${apiKey}. Try:`);
  print('');
  print(`curl -s ${node.buyerUrl}/health`);
  print(`curl -s -H 'X-API-Key: ${apiKey}' ${node.buyerUrl}/products`);
  print(
    `curl -s -H 'X-API-Key: ${apiKey}' -H 'Idempotency-Key: ${order}' -H 'Content-Type: application/json' ` +
      `-d '{"productId":1,"quantity":1,"expectedPriceUsdt":9.5}' ${node.buyerUrl}/orders`,
  );
  print('');
  print('The last one from a program, in the folder of this package (docs/client.md):');
  print('');
  print(program(node.buyerUrl, apiKey));
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

async function fill(node: DemoNode): Promise<string> {
  for (const { codes, ...product } of CATALOG) {
    const { productId } = await call(node, 'POST', '/products', product);
    const items = Array.from({ length: CODES_PER_PRODUCT }, (_, index) => codes(index));
    await call(node, 'POST', `/products/${productId}/stock`, { items });
  }
  const { productId } = await call(node, 'POST', '/products', GUIDE);
  await send(node, 'PUT', `/products/${productId}/file`, 'text/plain; charset=utf-8', GUIDE_TEXT);
  const { accountId } = await call(node, 'POST', '/accounts', { name: 'Demo reseller' });
  await call(node, 'POST', `/accounts/${accountId}/credits`, { amountUsdt: BALANCE_USDT, reference: 'demo' });
  const { apiKey } = await call(node, 'POST', `/accounts/${accountId}/key`, {});
  return String(apiKey);
}

function call(
  node: DemoNode,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  return send(node, method, path, 'application/json', body === undefined ? null : JSON.stringify(body));
}

async function send(
  node: DemoNode,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  contentType: string,
  body: string | null,
): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${node.operatorToken}`, 'content-type': contentType };
  const reply = await request(node.operatorUrl + path, { method, headers, body });
  const answer = (await reply.body.json()) as Record<string, unknown>;
  if (reply.statusCode >= 300) throw new Error(`the demo could not be set up: ${answer.message}`);
  return answer;
}

/** Looks like a code, and is another one for each index. */
function code(index: number): string {
  const digits = ((index + 1) * 2_654_435_761) % 4_294_967_296;
  return digits.toString(36).toUpperCase().padStart(7, '0');
}
