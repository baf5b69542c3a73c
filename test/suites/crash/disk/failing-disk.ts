/**
 * Writes that fail: once, for want of room, wherever they hit, and nobody but whoever waited for them hears of it; or
 * for good, and the node ends by itself with a line that says why. Everything that was acknowledged is there in any
 * case.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { eventually } from '../../../support/eventually.ts';
import { jsonLines } from '../../../support/json-lines.ts';
import { randomFromEnvironment } from '../../../support/random.ts';
import { SMALL_RUNS } from '../../../support/small-runs.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
import { audit } from '../shop/audit.ts';
import { Ledger } from '../shop/ledger.ts';
import { buyAgain, Load, type Pace, subscribe, WEBHOOK_FLAGS } from '../shop/load.ts';
import { type ServerUnderTest, startServer } from '../shop/server-under-test.ts';
import { assertSound } from '../shop/sound-folder.ts';
import { setStage } from '../shop/stage.ts';
import { tunedNode } from '../shop/tuned-node.ts';
import { EIO, ENOSPC, FailingWrites } from './failing-writes.ts';

/** With how many writes and syncs may pass before the one that fails: few enough that it comes soon. */
export const WRITTEN = {
  journal: ['journal-', 9],
  // A table file, the list, or the folder that has their names.
  checkpoint: ['data/checkpoint', 9],
  list: ['checkpoint/unfinished/LIST', 1],
  'run files': ['unfinished/stock-', 3],
  stock: ['stock.mdb', 9],
  webhooks: ['webhooks.mdb', 9],
  files: ['unfinished/file-', 9],
} as const;
export type Written = keyof typeof WRITTEN;
/** The checkpoint is the slowest writer: by itself it would wait 5 s for more to fold. */
const TUNING = tunedNode({ foldIntervalMs: 500, compaction: SMALL_RUNS });
/** How long a write may take to come that is to fail, and a node whose disk is broken to be gone: the machine's affair. */
const PATIENCE_MS = 60_000;

export interface Failures {
  /** Where a write fails once, one after the other, … */
  readonly once: readonly Written[];
  /** … and where all fail from then on. Not `files`: what is amiss with a buyer's file is told whoever uploads it. */
  readonly forGood: readonly Exclude<Written, 'files'>[];
  readonly pace: Pace;
}

export async function failWrites(t: TestContext, { once, forGood, pace }: Failures): Promise<void> {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  const folder = await createTemporaryFolder('failing-disk');
  const dataDir = join(folder.path, 'data');
  const writes = FailingWrites.make(folder.path);
  const ledger = new Ledger();
  const start = () => {
    const env = { ...TUNING.env, ...writes.env };
    return startServer({ dataDir, entry: TUNING.entry, env, flags: WEBHOOK_FLAGS });
  };
  let server = await start();
  t.after(async () => {
    await server.kill();
    await folder.remove();
  });
  await setStage(server, ledger, 200 * (once.length + forGood.length));
  await subscribe(server, ledger);
  const failed = (what: Written) =>
    eventually(`a write to ${what} fails`, () => writes.failed > 0, PATIENCE_MS);

  const load = await Load.begin(t, server, ledger, pace);
  for (const what of once) {
    const [pathPart, mostPassed] = WRITTEN[what];
    const pass = random.between(0, mostPassed);
    writes.begin({ pathPart, errno: ENOSPC, pass, times: 1 });
    await failed(what);
    writes.end();
    await buyAgain(server, ledger);
    t.diagnostic(`${pathPart} after ${pass}: ${load.counts}`);
  }
  await load.end();
  // Each line that it has logged is one.
  jsonLines(server.process.output());
  await audit(server, ledger);
  if (once.length > 1) {
    await server.stop();
    await assertSound(dataDir);
    server = await start();
    await audit(server, ledger);
  }

  for (const what of forGood) {
    const [pathPart, mostPassed] = WRITTEN[what];
    const broken = await Load.begin(t, server, ledger, pace);
    writes.begin({ pathPart, errno: EIO, pass: random.between(0, mostPassed) });
    broken.expectTheEnd();
    await failed(what);
    await assertEnds(server);
    writes.end();
    await broken.end();
    server = await start();
    await audit(server, ledger);
  }
  await server.stop();
  await assertSound(dataDir);
}

/** By itself, with one line that says why. */
async function assertEnds({ process }: ServerUnderTest): Promise<void> {
  let exit: unknown;
  process.exited.then((value) => {
    exit = value;
  });
  await eventually('the node ends', () => exit !== undefined, PATIENCE_MS);
  assert.deepEqual(exit, { code: 1, signal: null }, process.output());
  const last = jsonLines(process.output()).filter(({ level }) => level === 60);
  assert.equal(last.length, 1, process.output());
  assert.match(
    String(last[0]?.msg),
    /^fatal: stopping, because durability can't be guaranteed: .*the disk failed/,
  );
  assert.equal(JSON.stringify(last[0]).includes('stack'), false);
}
