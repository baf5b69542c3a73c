/**
 * The checkpoint is proved against the facts: sound after any folds, and no row of any table can be lost, added, or
 * changed.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { apply } from '../../../src/engine/apply/apply.ts';
import { State } from '../../../src/engine/state.ts';
import { openCheckpoint } from '../../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointCheck } from '../../../src/persistence/checkpoint/checkpoint-check.ts';
import { DamagedDataError } from '../../../src/persistence/codec/byte-reader.ts';
import { OrderScene } from '../../http/operator/order-scene.ts';
import { randomFromEnvironment, roundsOr } from '../../support/random.ts';
import {
  type CheckpointRow,
  rewriteCheckpoint,
  rowsOfCheckpoint,
} from '../../support/rewritten-checkpoint.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

test('no row of the checkpoint can be lost, added or changed', async (context) => {
  const random = randomFromEnvironment();
  context.diagnostic(`seed ${random.seed}`);
  const { path, remove } = await createTemporaryFolder('checkpoint-check');
  const scene = await OrderScene.open(path, random);
  context.after(async () => {
    await scene.close();
    await remove();
  });
  for (let fold = 0; fold < 3; fold += 1) {
    for (let step = roundsOr(60); step > 0; step -= 1) scene.happen();
    await scene.fold({ fileFacts: 40 });
    scene.forget();
  }
  const check = (): void => {
    const found = openCheckpoint(path);
    const state = new State();
    const proof = new CheckpointCheck(found, join(path, 'expected'), state);
    try {
      for (const fact of scene.facts) {
        apply(state, fact);
        proof.add(fact, state);
      }
      proof.finish(state);
    } finally {
      proof.close();
      found.close();
    }
  };
  check();
  const rows = rowsOfCheckpoint(path);
  const expectFound = (changed: readonly CheckpointRow[], what: string): void => {
    rewriteCheckpoint(path, changed);
    assert.throws(check, DamagedDataError, what);
  };
  for (const table of new Set(rows.map((row) => row.table))) {
    const row = random.pick(rows.filter((one) => one.table === table));
    const others = rows.filter((one) => one !== row);
    expectFound(others, `a row of ${table} is lost`);
    expectFound([...others, { ...row, a: row.a + 1e12 }], `a row of ${table} is in another place`);
    expectFound([...rows, { ...row, a: row.a + 1e12 }], `a row of ${table} is too many`);
    if (row.value.length === 0) continue;
    const value = Buffer.from(row.value);
    const at = value.length - 1;
    value[at] = (value[at] ?? 0) ^ 1;
    expectFound([...others, { ...row, value }], `a row of ${table} is changed`);
  }
  rewriteCheckpoint(path, rows);
  check();
});
