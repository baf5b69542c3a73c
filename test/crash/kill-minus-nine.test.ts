/**
 * kill -9 under load, again and again on one data folder: what was acknowledged is there, once; what wasn't
 * has one outcome; and the folder is sound as the kill left it (DESIGN.md, the promise).
 *
 * A kill waits until the load is under way and, where the journal has many segments, has written some.
 *
 * The short form has 2 rounds, the long one 20 (PURSER_TEST_LONG), PURSER_TEST_ROUNDS sets another number.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { listSegments } from '../../src/persistence/journal/journal-segments.ts';
import { PurserExitedError, type StartPurserOptions, startPurser } from '../support/purser-process.ts';
import { isLongRun, type Random, randomFromEnvironment } from '../support/random.ts';
import { purserEntry } from '../support/repository-root.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { audit } from './audit.ts';
import { Ledger } from './ledger.ts';
import { type ServerUnderTest, startServer } from './server-under-test.ts';
import { smallSegmentsEntry } from './small-segments.ts';
import { assertSound, assertVerified } from './sound-folder.ts';
import { setStage } from './stage.ts';
import { Traffic } from './traffic.ts';

const allRounds = Number(process.env.PURSER_TEST_ROUNDS ?? (isLongRun() ? 20 : 2));
/** Answered in every round before the time to the kill begins: a machine that stands still is no load. */
const purchasesPerRound = 12;
/** Written in every round, where segments are small, before the time to the kill begins. */
const segmentsPerRound = 2;
/** Older attempts of which a sample is looked at in every round; all of them are at the end. */
const sampleOfOlder = 200;

for (const { what, rounds, entry } of [
  { what: '', rounds: allRounds, entry: purserEntry() },
  { what: ', the journal in many segments', rounds: Math.ceil(allRounds / 2), entry: smallSegmentsEntry },
]) {
  const timeout = 240_000 + rounds * 30_000;
  test(`what was acknowledged survives ${rounds} kills under load${what}`, { timeout }, (t) =>
    killAgainAndAgain(t, rounds, entry),
  );
}

async function killAgainAndAgain(t: TestContext, rounds: number, entry: string): Promise<void> {
  const random = randomFromEnvironment();
  const folder = await createTemporaryFolder('kill');
  t.diagnostic(`seed ${random.seed}, data folder ${folder.path} (kept when this fails)`);
  const ledger = new Ledger();
  const options = { dataDir: folder.path, entry };
  let server = await startServer(options);
  t.after(() => server.kill());
  await setStage(server, ledger, 300);

  for (let round = 1; round <= rounds; round += 1) {
    const known = ledger.attempts.length;
    const killedAfterMs = await killUnderLoad(server, ledger, random, options);
    const young = ledger.attempts.slice(known);
    const unanswered = young.filter((attempt) => attempt.answer === undefined).length;
    t.diagnostic(
      `round ${round}: killed after ${killedAfterMs} ms, ${young.length} purchases, ${unanswered} open`,
    );

    await assertSound(folder.path);
    if (random.chance(0.4)) await killDuringStart(options, random);
    server = await startServer(options);
    await audit(server, ledger, [...young, ...random.sample(ledger.attempts.slice(0, known), sampleOfOlder)]);
  }

  assert.ok(ledger.orders().length >= rounds * purchasesPerRound, 'there was hardly any load');
  await server.kill();
  await assertVerified(folder.path);
  const segments = listSegments(folder.path).length;
  t.diagnostic(`the journal has ${segments} segments`);
  assert.ok(entry === smallSegmentsEntry ? segments > segmentsPerRound * rounds : segments === 1);
  server = await startServer(options);
  await audit(server, ledger);
  await server.stop();
  await assertSound(folder.path);
  await folder.remove();
}

async function killUnderLoad(
  server: ServerUnderTest,
  ledger: Ledger,
  random: Random,
  { dataDir, entry }: StartPurserOptions,
): Promise<number> {
  const traffic = new Traffic(server, ledger, random, { workers: 24, maxPurchases: 2_000, restocks: true });
  const segments = () => listSegments(dataDir).length;
  const wanted = entry === smallSegmentsEntry ? segments() + segmentsPerRound : 0;
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
