/**
 * kill -9 under load, again and again on one data folder: what was acknowledged is there, once; what wasn't has one
 * outcome; and the folder is sound as the kill left it (DESIGN.md, the promise).
 *
 * A kill waits until the load is under way and, where the files are small, has written some segments of the journal. Then
 * there are files of the checkpoint, too, which come and go all the time.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { checkpointIn } from '../../../../src/persistence/checkpoint/checkpoint.ts';
import { listSegments } from '../../../../src/persistence/journal/journal-segments.ts';
import { readFileList } from '../../../../src/persistence/store/file-list.ts';
import {
  PurserExitedError,
  type StartPurserOptions,
  startPurser,
} from '../../../support/nodes/purser-process.ts';
import { type Random, randomFromEnvironment } from '../../../support/random.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
import { audit } from '../shop/audit.ts';
import { Ledger } from '../shop/ledger.ts';
import { type ServerUnderTest, startServer } from '../shop/server-under-test.ts';
import { assertSound, assertVerified } from '../shop/sound-folder.ts';
import { setStage } from '../shop/stage.ts';
import { Traffic } from '../shop/traffic.ts';
import { SMALL_FILES } from '../shop/tuned-node.ts';

/** Answered in every round before the time to the kill begins: a machine that stands still is no load. */
const purchasesPerRound = 12;
/** Written in every round, where files are small, before the time to the kill begins. */
const segmentsPerRound = 2;
/** Older attempts of which a sample is looked at in every round; all of them are at the end. */
const sampleOfOlder = 200;

export interface Kills {
  /** For each round, whether its server has files of the usual size. */
  readonly rounds: readonly ('usual files' | 'small files')[];
  readonly maxPurchases: number;
  /** The longest time from when the load is under way to the kill. */
  readonly withinMs: number;
}

export async function killAgainAndAgain(t: TestContext, kills: Kills): Promise<void> {
  const { rounds } = kills;
  const random = randomFromEnvironment();
  const folder = await createTemporaryFolder('kill');
  const dataDir = folder.path;
  t.diagnostic(`seed ${random.seed}, data folder ${dataDir} (kept when this fails)`);
  const entryOf = (round: number) => (rounds[round] === 'small files' ? SMALL_FILES : {});
  const ledger = new Ledger();
  let server = await startServer({ dataDir, ...entryOf(0) });
  t.after(() => server.kill());
  await setStage(server, ledger, 300);

  for (const [round, files] of rounds.entries()) {
    const known = ledger.attempts.length;
    const hadSegments = listSegments(dataDir).length;
    const newSegments = files === 'small files' ? segmentsPerRound : 0;
    const killedAfterMs = await killUnderLoad(server, ledger, random, dataDir, newSegments, kills);
    const young = ledger.attempts.slice(known);
    const unanswered = young.filter((attempt) => attempt.answer === undefined).length;
    const segments = listSegments(dataDir).length - hadSegments;
    const { files: tables, next } = readFileList(checkpointIn(dataDir));
    t.diagnostic(
      `round ${round + 1}: killed after ${killedAfterMs} ms, ${young.length} purchases, ${unanswered} open, ${segments} new segments, ${tables.length} files of the checkpoint of ${next - 1}`,
    );
    assert.ok(files === 'small files' ? segments >= newSegments : segments === 0);
    if (files === 'small files') assert.notDeepEqual(tables, [], 'the journal was folded');

    await assertSound(dataDir);
    const options = { dataDir, ...entryOf(Math.min(round + 1, rounds.length - 1)) };
    if (rounds.length > 1 && random.chance(0.4)) await killDuringStart(options, random);
    server = await startServer(options);
    await audit(server, ledger, [...young, ...random.sample(ledger.attempts.slice(0, known), sampleOfOlder)]);
  }

  assert.ok(ledger.orders().length >= rounds.length * purchasesPerRound, 'there was hardly any load');
  await audit(server, ledger);
  await server.stop();
  await (rounds.length > 1 ? assertVerified : assertSound)(dataDir);
  await folder.remove();
}

async function killUnderLoad(
  server: ServerUnderTest,
  ledger: Ledger,
  random: Random,
  dataDir: string,
  newSegments: number,
  { maxPurchases, withinMs }: Kills,
): Promise<number> {
  const traffic = new Traffic(server, ledger, random, { workers: 24, maxPurchases, restocks: true });
  const segments = () => listSegments(dataDir).length;
  const wanted = segments() + newSegments;
  let isOver = false;
  const running = traffic.run().finally(() => {
    isOver = true;
  });
  await traffic.untilAcknowledged(purchasesPerRound);
  while (!isOver && segments() < wanted) await delay(5);
  const killAfterMs = random.between(5, withinMs);
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
