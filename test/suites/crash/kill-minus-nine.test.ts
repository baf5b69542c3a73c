/**
 * kill -9 under load, again and again on one data folder: what was acknowledged is there, once; what wasn't
 * has one outcome; and the folder is sound as the kill left it (DESIGN.md, the promise).
 *
 * A kill waits until the load is under way and, where the files are small, has written some segments of the journal. Then
 * there are run files, too, which come and go all the time.
 *
 * The short form has 2 rounds on one folder, the second with small files; the long one (PURSER_TEST_LONG) 20 and 10,
 * each on a folder of its own. PURSER_TEST_ROUNDS sets another number.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { listSegments } from '../../../src/persistence/journal/journal-segments.ts';
import { runFilesIn } from '../../../src/persistence/runs/run-list.ts';
import { PurserExitedError, type StartPurserOptions, startPurser } from '../../support/purser-process.ts';
import { isLongRun, type Random, randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { audit } from './audit.ts';
import { Ledger } from './ledger.ts';
import { type ServerUnderTest, startServer } from './server-under-test.ts';
import { assertSound, assertVerified } from './sound-folder.ts';
import { setStage } from './stage.ts';
import { Traffic } from './traffic.ts';
import { SMALL_FILES } from './tuned-node.ts';

const allRounds = Number(process.env.PURSER_TEST_ROUNDS ?? (isLongRun() ? 20 : 2));
/** Answered in every round before the time to the kill begins: a machine that stands still is no load. */
const purchasesPerRound = 12;
/** Written in every round, where files are small, before the time to the kill begins. */
const segmentsPerRound = 2;
/** Older attempts of which a sample is looked at in every round; all of them are at the end. */
const sampleOfOlder = 200;

/** What a round's server is. */
type Entry = Pick<StartPurserOptions, 'entry' | 'env'>;
const USUAL: Entry = {};
const PLANS: readonly { readonly segments: string; readonly entries: readonly Entry[] }[] = isLongRun()
  ? [
      { segments: 'of the usual size', entries: Array(allRounds).fill(USUAL) },
      { segments: 'that are many', entries: Array(Math.ceil(allRounds / 2)).fill(SMALL_FILES) },
    ]
  : [
      {
        segments: 'of the usual size, and then many',
        entries: Array.from({ length: allRounds }, (_, round) => (round % 2 === 0 ? USUAL : SMALL_FILES)),
      },
    ];

for (const { segments, entries } of PLANS) {
  const timeout = 240_000 + entries.length * 30_000;
  const title = `what was acknowledged survives ${entries.length} kills under load, the journal in segments ${segments}`;
  test(title, { timeout }, (t) => killAgainAndAgain(t, entries));
}

async function killAgainAndAgain(t: TestContext, entries: readonly Entry[]): Promise<void> {
  const random = randomFromEnvironment();
  const folder = await createTemporaryFolder('kill');
  const dataDir = folder.path;
  t.diagnostic(`seed ${random.seed}, data folder ${dataDir} (kept when this fails)`);
  const ledger = new Ledger();
  let server = await startServer({ dataDir, ...entries[0] });
  t.after(() => server.kill());
  await setStage(server, ledger, 300);

  for (const [round, entry] of entries.entries()) {
    const known = ledger.attempts.length;
    const hadSegments = listSegments(dataDir).length;
    const newSegments = entry === SMALL_FILES ? segmentsPerRound : 0;
    const killedAfterMs = await killUnderLoad(server, ledger, random, dataDir, newSegments);
    const young = ledger.attempts.slice(known);
    const unanswered = young.filter((attempt) => attempt.answer === undefined).length;
    const segments = listSegments(dataDir).length - hadSegments;
    t.diagnostic(
      `round ${round + 1}: killed after ${killedAfterMs} ms, ${young.length} purchases, ${unanswered} open, ${segments} new segments`,
    );
    assert.ok(entry === SMALL_FILES ? segments >= newSegments : segments === 0);
    if (entry === SMALL_FILES) assert.notDeepEqual(runFilesIn(dataDir), [], 'old rows are in run files');

    await assertSound(dataDir);
    const options = { dataDir, ...(entries[round + 1] ?? entry) };
    if (random.chance(0.4)) await killDuringStart(options, random);
    server = await startServer(options);
    await audit(server, ledger, [...young, ...random.sample(ledger.attempts.slice(0, known), sampleOfOlder)]);
  }

  assert.ok(ledger.orders().length >= entries.length * purchasesPerRound, 'there was hardly any load');
  await audit(server, ledger);
  await server.stop();
  await assertVerified(dataDir);
  await folder.remove();
}

async function killUnderLoad(
  server: ServerUnderTest,
  ledger: Ledger,
  random: Random,
  dataDir: string,
  newSegments: number,
): Promise<number> {
  const traffic = new Traffic(server, ledger, random, { workers: 24, maxPurchases: 2_000, restocks: true });
  const segments = () => listSegments(dataDir).length;
  const wanted = segments() + newSegments;
  let isOver = false;
  const running = traffic.run().finally(() => {
    isOver = true;
  });
  await traffic.untilAcknowledged(purchasesPerRound);
  while (!isOver && segments() < wanted) await delay(5);
  const killAfterMs = random.between(5, isLongRun() ? 900 : 250);
  await Promise.race([running, delay(killAfterMs)]);
  traffic.expectTheEnd();
  await server.kill();
  await running;
  return killAfterMs;
}

/** A start that is cut off somewhere in recovery, or right after it. */
async function killDuringStart(options: StartPurserOptions, random: Random): Promise<void> {
  try {
    const early = await startPurser({ ...options, readyTimeoutMs: random.between(20, 600) });
    await early.kill();
  } catch (error) {
    if (!(error instanceof PurserExitedError) || error.signal !== 'SIGKILL') throw error;
  }
}
