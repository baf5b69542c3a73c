/**
 * The models of `test/persistence/` with many times the rounds that they have there: texts that are sold once, tables and run
 * files that are what was written, and a checkpoint that is what its facts say, of which no row can be lost.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const MODELS: readonly (readonly [file: string, rounds: number])[] = [
  ['stock/stock-model', 25],
  ['stock/supplied-texts', 40],
  ['store/store-model', 1_000],
  ['runs/tiered-table', 8],
  ['runs/run-file', 600],
  ['lmdb/lmdb-file', 12],
  ['checkpoint/checkpoint-fold', 100_000],
  ['checkpoint/checkpoint-check', 2_000],
];

for (const [file, rounds] of MODELS) {
  test(`${file}, ${rounds} rounds`, () => {
    const program = join(import.meta.dirname, '..', '..', 'persistence', `${file}.test.js`);
    // With the context of this test, the other one would not say what failed.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout } = spawnSync(process.execPath, [...process.execArgv, program], {
      env: { ...env, PURSER_TEST_ROUNDS: String(rounds) },
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    assert.equal(status, 0, stdout);
  });
}
