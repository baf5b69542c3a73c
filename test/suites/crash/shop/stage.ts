/** Accounts with money, products with stock, each entered in the ledger as it is made. */
import { randomUUID } from 'node:crypto';
import { ok } from '../../../support/operator-client.ts';
import type { Credit, Ledger, LedgerBuyer, LedgerProduct, Upload } from './ledger.ts';
import type { ServerUnderTest } from './server-under-test.ts';

const prices = [350, 7, 125];
/** Enough for any test here, so that nobody runs out by accident. */
const firstCreditCents = 100_000_00;

/** Four buyers and three products with `stock` items each. */
export async function setStage(server: ServerUnderTest, ledger: Ledger, stock: number): Promise<void> {
  for (let i = 0; i < 4; i += 1) {
    const buyer = await openAccount(server, `buyer ${i}`);
    ledger.buyers.push(buyer);
    await sendCredit(server, enterCredit(ledger, buyer, firstCreditCents));
  }
  for (const priceCents of prices) {
    const product = await addProduct(server, priceCents);
    ledger.products.push(product);
    await sendUpload(server, enterUpload(ledger, product, stock));
  }
}

export async function openAccount(server: ServerUnderTest, name: string): Promise<LedgerBuyer> {
  const { accountId } = await ok(server.operator.createAccount({ name, rateLimitPerMinute: null }));
  if (accountId === undefined) throw new Error('no accountId');
  const { apiKey } = await ok(server.operator.issueKey(accountId));
  if (apiKey === undefined) throw new Error('no apiKey');
  return { accountId, apiKey };
}

export async function addProduct(server: ServerUnderTest, priceCents: number): Promise<LedgerProduct> {
  const { productId } = await ok(
    server.operator.createProduct({
      name: `code for ${priceCents} cents`,
      description: 'one code',
      instructions: '',
      type: 'standard',
      priceUsdt: priceCents / 100,
    }),
  );
  if (productId === undefined) throw new Error('no productId');
  return { productId, priceCents };
}

export function enterUpload(ledger: Ledger, product: LedgerProduct, count: number): Upload {
  const batch = ledger.uploads.length;
  const items = Array.from(
    { length: count },
    (_, index) => `product-${product.productId}/batch-${batch}/code-${index}-${randomUUID()}`,
  );
  const upload = { product, items, isDone: false };
  ledger.uploads.push(upload);
  return upload;
}

/** Repeating one that was interrupted, or done, is harmless: what is there already counts as duplicate. */
export async function sendUpload(server: ServerUnderTest, upload: Upload): Promise<void> {
  const { productId } = upload.product;
  const { added, duplicates } = await ok(server.operator.addStock(productId, upload.items.join('\n')));
  const wasDone = upload.isDone;
  upload.isDone = true;
  if (added === undefined || duplicates === undefined || added + duplicates !== upload.items.length) {
    throw new Error(`of ${upload.items.length} items ${added} were added and ${duplicates} were there`);
  }
  if (wasDone && added > 0) throw new Error(`${added} items of an acknowledged upload had been lost`);
}

export function enterCredit(ledger: Ledger, buyer: LedgerBuyer, amountCents: number): Credit {
  const credit = { buyer, amountCents, reference: `credit ${ledger.credits.length}`, isDone: false };
  ledger.credits.push(credit);
  return credit;
}

export async function sendCredit(server: ServerUnderTest, credit: Credit): Promise<void> {
  const { buyer, amountCents, reference } = credit;
  const reply = await server.operator.credit(buyer.accountId, amountCents / 100, reference);
  await ok(Promise.resolve(reply));
  if (credit.isDone && reply.status !== 200) throw new Error(`${reference} had been lost: ${reply.text}`);
  credit.isDone = true;
}
