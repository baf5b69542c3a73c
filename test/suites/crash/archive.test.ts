/**
 * kill -9 while old facts are moved to an archive, under load, again and again on one data folder: what was acknowledged
 * is there, once; the folder is sound as the kill left it, and with the archive from the first fact on; and the next
 * archive goes on.
 *
 * A kill comes at a random moment, or when the step has begun that is hit least: between the baseline's file and the fact,
 * and amid the removal of files.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Random, randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import {
  archiveNow,
  baselinesIn,
  journalFiles,
  strayLocks,
  verified,
} from '../restore/archive/archived-shop.ts';
import { audit } from './audit.ts';
import { Ledger } from './ledger.ts';
import { type ServerUnderTest, startServer } from './server-under-test.ts';
import { setStage } from './stage.ts';
import { Traffic } from './traffic.ts';
import { SMALL_FILES } from './tuned-node.ts';

const ROUNDS = roundsOr(9);
const PURCHASES_PER_ROUND = 20;
/** Older attempts of which a sample is looked at in every round; all of them are at the end. */
const SAMPLE_OF_OLDER = 100;
/** Several times what a complete archive takes here. */
const MOST_MS = 30_000;
const MOMENTS = ['any', 'baseline', 'removal'] as const;

test(`what was acknowledged survives ${ROUNDS} kills amid archives`, {
  timeout: 240_000 + ROUNDS * 60_000,
}, async (t) => {
  const random = randomFromEnvironment();
  const folder = await createTemporaryFolder('kill-archive');
  const dataDir = join(folder.path, 'data');
  const target = join(folder.path, 'archive');
  t.diagnostic(`seed ${random.seed}, folder ${folder.path} (kept when this fails)`);
  const ledger = new Ledger();
  let server = await startServer({ dataDir, ...SMALL_FILES });
  t.after(() => server.kill());
  await setStage(server, ledger, 300);
  for (let round = 0; round < ROUNDS; round += 1) {
    const known = ledger.attempts.length;
    const moment = MOMENTS[round % MOMENTS.length] ?? 'any';
    const before = journalFiles(dataDir);
    await killAmidArchive(server, ledger, random, { dataDir, target, moment });
    const files = journalFiles(dataDir);
    t.diagnostic(
      `round ${round + 1}, ${moment}: files from fact ${before[0]} (${before.length}), then from ${files[0]} (${files.length}), ${baselinesIn(dataDir).length} baselines`,
    );
    for (const archive of [undefined, target]) {
      // Nothing may have been moved yet.
      if (archive !== undefined && files[0] === 1) continue;
      const { isSound, text } = await verified(dataDir, archive);
      assert.ok(isSound, text);
    }
    server = await startServer({ dataDir, ...SMALL_FILES });
    const older = random.sample(ledger.attempts.slice(0, known), SAMPLE_OF_OLDER);
    await audit(server, ledger, [...ledger.attempts.slice(known), ...older]);
  }
  const { state, error } = await archiveNow(server, target);
  assert.equal(state, 'complete', error);
  assert.equal(journalFiles(dataDir).length, 1);
  assert.equal(baselinesIn(dataDir).length, 1);
  // What a kill kept from happening is bought now: after many kills that fills another file.
  await audit(server, ledger);
  await server.stop();
  assert.deepEqual(strayLocks(dataDir), []);
  for (const archive of [undefined, target]) {
    const { isSound, text } = await verified(dataDir, archive);
    assert.ok(isSound, text);
  }
  await folder.remove();
});

interface Kill {
  readonly dataDir: string;
  readonly target: string;
  readonly moment: (typeof MOMENTS)[number];
}

async function killAmidArchive(
  server: ServerUnderTest,
  ledger: Ledger,
  random: Random,
  { dataDir, target, moment }: Kill,
): Promise<void> {
  const traffic = new Traffic(server, ledger, random, { workers: 8, maxPurchases: 400, restocks: true });
  const running = traffic.run();
  await traffic.untilAcknowledged(PURCHASES_PER_ROUND);
  const [baselines, [first]] = [new Set(baselinesIn(dataDir)), journalFiles(dataDir)];
  const begun = await server.operator.json('POST', '/archives', { before: Date.now(), target });
  assert.equal(begun.status, 202, begun.text);
  const isTime = () =>
    moment === 'baseline'
      ? baselinesIn(dataDir).some((name) => !baselines.has(name))
      : journalFiles(dataDir)[0] !== first;
  const endMs = performance.now() + MOST_MS;
  if (moment === 'any') await delay(random.between(0, 3_000));
  else while (!isTime() && performance.now() < endMs) await delay(1);
  if (moment === 'baseline') await delay(random.between(0, 30));
  traffic.expectTheEnd();
  await server.kill();
  await running;
}
