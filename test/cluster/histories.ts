/**
 * Nodes that lead and follow, over a database that fails in every way it can, in a time of its own, against the naive
 * model: what was confirmed to anybody is in the log for ever, in one order, and every node has taken a beginning of it.
 *
 * At random: nodes die, stand still and go on, hand over, lose their connections; commits wait, are confirmed, or are lost
 * with a primary after readers have seen them; answers get lost; the disk is full; two nodes want to lead at once. At the
 * end of each history PostgreSQL breaks its word, and whoever has taken what is lost must find that out.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { randomFromEnvironment, roundsOr } from '../support/random.ts';
import type { Histories } from './history-worker.ts';

export function proveHistories(usual: number, threads: number): void {
  const runs = roundsOr(usual);
  test(`${runs} random histories of a cluster: what was confirmed stays, and one leads`, async (t) => {
    const { seed } = randomFromEnvironment();
    t.diagnostic(`seeds ${seed} to ${seed + runs - 1}`);
    const count = Math.ceil(runs / threads);
    const parts = Array.from({ length: threads }, (_, thread) =>
      acknowledgedIn({ seed: seed + thread * count, count }),
    );
    const acknowledged = (await Promise.all(parts)).reduce((sum, each) => sum + each, 0);
    t.diagnostic(`${acknowledged} facts were acknowledged`);
    assert.ok(acknowledged > runs, 'hardly anything was sold');
  });
}

async function acknowledgedIn(workerData: Histories): Promise<number> {
  const worker = new Worker(new URL('./history-worker.js', import.meta.url), { workerData });
  const [acknowledged] = await once(worker, 'message');
  return acknowledged;
}
