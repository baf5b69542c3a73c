/** Price lists, prices, skus, and the rules of orders in the checkpoint: folds at any place give the state of all facts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply } from '../../../src/engine/apply/apply.ts';
import { decide } from '../../../src/engine/decide/decide.ts';
import { noHistory } from '../../../src/engine/decide/history.ts';
import type { Fact } from '../../../src/engine/fact.ts';
import type { Order } from '../../../src/engine/orders.ts';
import { PRICE_RULES } from '../../../src/engine/pricing/price-rule.ts';
import { State } from '../../../src/engine/state.ts';
import { loadState } from '../../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold } from '../../../src/persistence/checkpoint/checkpoint-fold.ts';
import { readOrderRow, writeOrderRow } from '../../../src/persistence/checkpoint/order-row.ts';
import { ByteWriter } from '../../../src/persistence/codec/byte-writer.ts';
import { GENESIS, type LogHead, type LogReader } from '../../../src/persistence/journal/frame-log.ts';
import { encodeFrame, frameHash } from '../../../src/persistence/journal/journal-frame.ts';
import { canonicalTables } from '../../../src/persistence/state-tables.ts';
import { createStore } from '../../../src/persistence/store/file-list.ts';
import { StoreReader } from '../../../src/persistence/store/store-reader.ts';
import { NOW_MS, PRODUCT, placeOrder, worldFacts } from '../../engine/commands.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const one = (priceMicros: number) => ({ priceMicros, priceTiers: [{ minQuantity: 2, priceMicros: 5_000 }] });
const list = (priceListId: number, percent: number | null = null) =>
  ({ kind: 'PriceListCreated', priceListId, profile: { name: `list ${priceListId}`, percent } }) as const;
const prices = (owner: object, ...changes: (readonly [productId: number, micros: number | null])[]) =>
  ({
    kind: 'PricesChanged',
    ...owner,
    prices: changes.map(([productId, micros]) => {
      return { productId, price: micros === null ? null : one(micros), before: null };
    }),
  }) as const;
const sku = (productId: number, sku: string | null) =>
  ({ kind: 'ProductUpdated', productId, profile: { ...PRODUCT, sku } }) as const;
const NONE = [undefined, undefined, undefined];
const account = (accountId: number, priceListId?: number) =>
  ({
    kind: 'AccountUpdated',
    accountId,
    profile: {
      name: 'x',
      rateLimitPerMinute: null,
      webhookConcurrency: 1,
      ...(priceListId === undefined ? {} : { priceListId }),
    },
  }) as const;

test('lists, prices and skus that come, change and go are found as they are, wherever folds stop', async (context) => {
  const folder = await createTemporaryFolder('price-rows');
  context.after(() => folder.remove());
  createStore(folder.path);
  const steps = [
    [list(1), list(2, -1_250), list(3, 0), prices({ priceListId: 1 }, [1, 10_000], [2, 20_000])],
    [
      sku(1, 'a'),
      sku(2, 'b'),
      account(1, 1),
      account(2, 2),
      prices({ accountId: 2 }, [1, 30_000], [3, 40_000]),
    ],
    [
      sku(1, 'c'),
      sku(3, 'a'),
      prices({ priceListId: 1 }, [1, null], [3, 50_000]),
      prices({ accountId: 2 }, [1, 60_000]),
    ],
    [
      account(1),
      { kind: 'PriceListDeleted', priceListId: 1, profile: { name: '', percent: null }, prices: 2 },
    ],
    [sku(3, null), list(4), prices({ priceListId: 4 }, [2, 70_000]), prices({ accountId: 2 }, [3, null])],
  ] as const;
  const world = worldFacts({ accounts: 2, products: 3, balanceMicros: 0, stock: 0 });
  const groups = [world, ...steps.map((group) => group.map((fact) => ({ ...fact, atMs: NOW_MS }) as Fact))];
  const frames: Buffer[] = [];
  const log: LogReader & { head: LogHead } = {
    head: GENESIS,
    *read(position) {
      for (const frame of frames) if (frame.readDoubleLE(8) > position) yield frame;
    },
    close: async () => {},
  };
  const state = new State();
  const skus: (readonly (number | undefined)[])[] = [];
  let fold = new CheckpointFold(folder.path, log);
  for (const group of groups) {
    const frame = encodeFrame(new ByteWriter(), log.head.position + 1, group, log.head.hash);
    frames.push(frame);
    for (const fact of group) apply(state, fact);
    log.head = { position: state.position, hash: frameHash(frame) };
    fold.foldThrough(state.position);
    const reader = new StoreReader(folder.path);
    const loaded = loadState(reader);
    reader.close();
    assert.deepEqual(canonicalTables(loaded), canonicalTables(state));
    for (const id of [1, 2, 3, 4])
      assert.equal(loaded.priceLists.accountsOf(id), state.priceLists.accountsOf(id), `list ${id}`);
    const found = ({ skus }: State) => ['a', 'b', 'c'].map((one) => skus.productOf(one));
    assert.deepEqual(found(loaded), found(state));
    skus.push(found(loaded));
    fold = new CheckpointFold(folder.path, log);
  }
  assert.deepEqual(skus, [NONE, NONE, [1, 2, undefined], [3, 2, 1], [3, 2, 1], [undefined, 2, 1]]);
  assert.deepEqual(
    Array.from(state.listPrices.values(), ({ ownerId, productId }) => [ownerId, productId]),
    [[4, 2]],
  );
  await fold.close();
});

test('the row of an order keeps the rule of its price', () => {
  const state = new State();
  for (const fact of worldFacts({ accounts: 1, products: 1, balanceMicros: 9e9, stock: 9 }))
    apply(state, fact);
  const placed = decide(state, noHistory, placeOrder(), NOW_MS);
  assert.ok('order' in placed);
  for (const priceRule of [null, ...PRICE_RULES]) {
    const priceListId = priceRule === 'list' || priceRule === 'percent' ? 1_000 : null;
    const order: Order = { ...placed.order, priceRule, priceListId };
    const out = new ByteWriter();
    writeOrderRow(out, order);
    assert.deepEqual(readOrderRow(order.orderId, out.view()), order);
  }
});
