/**
 * The stock that texts are compared with when the disk is full: facts are taken back then, and items that they withdrew
 * are for sale again, while an upload or a delivery may have been told that they aren't.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../../src/engine/decide/command.ts';
import { noHistory } from '../../../src/engine/decide/history.ts';
import { Engine } from '../../../src/engine/loop/engine.ts';
import { JournalFullError } from '../../../src/engine/loop/journal.ts';
import { durableStockOf } from '../../../src/persistence/stock/product-stock.ts';
import { NOW_MS, worldState } from '../../engine/commands.ts';

const PRODUCT = 1;
const WITHDRAWAL: Command = { kind: 'WithdrawStock', productId: PRODUCT, count: 4 };

/** An engine with ten items of a product, whose commits end as they are told to. */
class Scene {
  readonly engine: Engine;
  #commits: { readonly land: () => void; readonly refuse: (error: Error) => void }[] = [];

  constructor() {
    const world = () => worldState({ accounts: 1, products: 1, balanceMicros: 0, stock: 10 });
    this.engine = new Engine({
      state: world(),
      history: noHistory,
      journal: {
        append: () => new Promise<void>((land, refuse) => this.#commits.push({ land, refuse })),
      },
      clock: () => NOW_MS,
      defer: setImmediate,
      rebuild: world,
      roomAgain: () => Promise.resolve(),
      onFatal: (error) => assert.fail(String(error)),
      onFault: (error) => assert.fail(String(error)),
    });
  }

  async submit(command: Command): Promise<void> {
    this.engine.submit(command, () => undefined);
    await this.turn();
  }

  async turn(): Promise<void> {
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }

  async end(how: 'land' | 'refuse'): Promise<void> {
    for (const commit of this.#commits.splice(0)) {
      if (how === 'land') commit.land();
      else commit.refuse(new JournalFullError());
    }
    await this.turn();
  }
}

for (const [how, firsts] of [
  ['land', [0, 4]],
  ['refuse', []],
] as const) {
  test(`leaves out what is withdrawn only once that is durable (${how})`, async () => {
    const scene = new Scene();
    await scene.submit(WITHDRAWAL);
    let isTold = false;
    const reading = durableStockOf(scene.engine, PRODUCT).finally(() => {
      isTold = true;
    });
    await scene.turn();
    assert.equal(isTold, false);
    await scene.end(how);
    assert.deepEqual([...(await reading).withdrawn], [...firsts]);
  });
}

test('ends where the product ends when it is told: items that were added meanwhile count', async () => {
  const scene = new Scene();
  await scene.submit(WITHDRAWAL);
  const reading = durableStockOf(scene.engine, PRODUCT);
  await scene.submit({ kind: 'AddStock', productId: PRODUCT, firstItem: 10, count: 5 });
  await scene.end('land');
  const { end, withdrawn } = await reading;
  assert.deepEqual([end, [...withdrawn]], [15, [0, 4]]);
});
