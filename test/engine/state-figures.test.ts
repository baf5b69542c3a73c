/**
 * What a running engine says of its state at the end of a frame is what a replay of the journal up to there comes to,
 * whatever is under way meanwhile.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply } from '../../src/engine/apply.ts';
import { State } from '../../src/engine/state.ts';
import { figuresOf } from '../../src/engine/state-figures.ts';
import { GENESIS } from '../../src/persistence/journal/frame-log.ts';
import { JournalReader } from '../../src/persistence/journal/journal-reader.ts';
import { openLogReader } from '../../src/persistence/journal/open-log.ts';
import { JournalFolder } from '../persistence/journal-folder.ts';
import { randomFromEnvironment } from '../support/random.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { placeOrder, worldFacts } from './commands.ts';

test('figures at the end of a frame are those of a replay up to there', async (context) => {
  const folder = await createTemporaryFolder('figures');
  context.after(folder.remove);
  const random = randomFromEnvironment();
  context.diagnostic(`seed ${random.seed}`);
  const first = await JournalFolder.open(folder.path);
  await first.append(worldFacts({ accounts: 5, products: 2, balanceMicros: 100_000_000, stock: 500 }));
  await first.close();
  const running = await JournalFolder.open(folder.path);
  const { engine } = running;
  const seen = new Map<number, Float64Array>();
  for (let count = 0; count < 150; count += 1) {
    const accountId = random.between(1, 5);
    engine.submit(placeOrder({ accountId, idempotencyKey: `key ${count}` }), () => {});
    if (random.chance(0.2)) engine.whenSent((state) => seen.set(state.position, figuresOf(state)));
    if (random.chance(0.3)) await new Promise((resolve) => setTimeout(resolve, random.between(0, 1)));
  }
  await engine.idle();
  engine.whenSent((state) => seen.set(state.position, figuresOf(state)));
  assert.equal(seen.size > 1 && seen.has(engine.durablePosition), true, 'one at rest comes at once');
  await running.close();
  const state = new State();
  const journal = new JournalReader(openLogReader(folder.path), GENESIS);
  let compared = 0;
  for (const { facts } of journal.read()) {
    for (const fact of facts) apply(state, fact);
    const figures = seen.get(state.position);
    if (figures === undefined) continue;
    assert.deepEqual(figuresOf(state), figures);
    compared += 1;
  }
  await journal.close();
  assert.equal(compared, seen.size, 'each was the end of a frame');
});
