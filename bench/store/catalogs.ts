/**
 * Buyers' catalogs of 10,000 products for so many price lists, each of which names every product: the memory of the prices
 * and of the views, and what it takes to bring a view up to date after a change of one product.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { apply } from '../../src/engine/apply/apply.ts';
import { MAX_PRICE_CHANGES } from '../../src/engine/limits.ts';
import { State } from '../../src/engine/state.ts';
import { CatalogViews } from '../../src/http/buyer/catalog-views.ts';
import { PRODUCT } from '../../test/engine/commands.ts';
import { textTable } from '../measure/text-table.ts';
import { LOOK_UP_HEADER, lookUps } from './look-ups.ts';

const AT_MS = 1_764_000_000_000;
const PRODUCTS = 10_000;
const CHANGES = 50;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

export async function catalogs(_folder: string, lists: number): Promise<string> {
  const state = new State();
  const rows: string[][] = [];
  let before = heapMebibytes();
  const note = (name: string) => {
    const now = heapMebibytes();
    rows.push([name, (now - before).toFixed(1)]);
    before = now;
  };
  for (let productId = 1; productId <= PRODUCTS; productId += 1) {
    const profile = { ...PRODUCT, name: `Product ${productId}`, description: 'What it is for. '.repeat(5) };
    apply(state, { kind: 'ProductCreated', productId, profile, atMs: AT_MS });
  }
  note('products');
  for (let priceListId = 1; priceListId <= lists; priceListId += 1) addList(state, priceListId);
  state.dropOlder();
  note('prices in the engine');
  const views = new CatalogViews();
  const account = (accountId: number) => {
    const found = state.accounts.get(accountId);
    if (found === undefined) throw new Error('no such account');
    return found;
  };
  for (let accountId = 1; accountId <= lists; accountId += 1) views.of(state, account(accountId));
  note('views');
  let changes = 0;
  const changed = await lookUps('a view after a change of one product', CHANGES, () => {
    changes += 1;
    const profile = { ...PRODUCT, name: `Changed ${changes}` };
    apply(state, { kind: 'ProductUpdated', productId: changes, profile, atMs: AT_MS });
    views.of(state, account(1 + (changes % lists)));
  });
  const sizes = textTable([`${PRODUCTS} products, ${lists} lists that name all`, 'MiB'], rows);
  return `${sizes}\n\n${textTable(['catalogs', ...LOOK_UP_HEADER.slice(1)], [changed])}`;
}

/** A list that names all products, and an account that has it. */
function addList(state: State, priceListId: number): void {
  apply(state, {
    kind: 'PriceListCreated',
    priceListId,
    profile: { name: 'list', percent: null },
    atMs: AT_MS,
  });
  const profile = { name: 'buyer', rateLimitPerMinute: null, webhookConcurrency: 1, priceListId };
  apply(state, { kind: 'AccountCreated', accountId: priceListId, profile, atMs: AT_MS });
  for (let first = 1; first <= PRODUCTS; first += MAX_PRICE_CHANGES) {
    const count = Math.min(MAX_PRICE_CHANGES, PRODUCTS + 1 - first);
    const prices = Array.from({ length: count }, (_, at) => {
      const priceMicros = (1_000 + (((first + at) * 7 + priceListId * 13) % 9_000)) * 10_000;
      return { productId: first + at, price: { priceMicros, priceTiers: [] }, before: null };
    });
    apply(state, { kind: 'PricesChanged', priceListId, prices, atMs: AT_MS });
  }
}

function heapMebibytes(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 ** 2;
}
