/** Frames of another node in this folder: taken as they are, and compared with what is there. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { FollowedFrames } from '../../src/cluster/followed-frames.ts';
import type { Fact } from '../../src/engine/fact.ts';
import { JournalFullError } from '../../src/engine/loop/journal.ts';
import { JournalFolder } from '../persistence/journal/journal-folder.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { account } from '../webhooks/outbox/shop-facts.ts';

const HEADER_BYTES = 52;
const CHECKED_FROM = 8;

describe('frames that another node has written', () => {
  let folder: TemporaryFolder;
  const journals: JournalFolder[] = [];
  let frames: Buffer[];

  const journal = async (...facts: Fact[]) => {
    const path = join(folder.path, String(journals.length));
    mkdirSync(path);
    const opened = await JournalFolder.open(path);
    journals.push(opened);
    await opened.append(...facts.map((fact) => [fact]));
    return opened;
  };
  before(async () => {
    folder = await createTemporaryFolder('followed-frames');
    const leader = await journal(account(1, 1), account(2, 1), account(3, 1));
    frames = [...leader.log.read(0)];
  });
  after(async () => {
    for (const each of journals) await each.close();
    await folder.remove();
  });

  /** The frames that come first, taken. */
  async function followed(count: number) {
    const { log } = await journal();
    const taking = new FollowedFrames(log);
    assert.equal((await taking.take(frames.slice(0, count))).length, count);
    return { taking, log };
  }

  test('one that is there already is passed over; another one in its place means that the log was lost', async () => {
    const { taking } = await followed(2);
    assert.deepEqual(await taking.take(frames.slice(0, 1)), []);
    const others = await journal(account(1, 2));
    const [other = assert.fail()] = others.log.read(0);
    await assert.rejects(taking.take([other]), { name: 'ClusterError', reason: 'lost' });
  });

  test('without room none is taken, and all of them when they come again', async () => {
    const { taking, log } = await followed(1);
    const append = log.append.bind(log);
    log.append = () => Promise.reject(new JournalFullError());
    await assert.rejects(taking.take(frames), JournalFullError);
    log.append = append;
    assert.equal((await taking.take(frames)).length, 2);
  });

  test('a folder that has more than the log, or something else at its end, does not lead', async () => {
    const { taking } = await followed(2);
    const [first = assert.fail(), second = assert.fail(), third = assert.fail()] = frames;
    assert.throws(
      () => taking.expectEnd(first),
      /this folder has facts up to 2, and the log ends with fact 1/,
    );
    taking.expectEnd(second);
    taking.expectEnd(third);
    const others = await journal(account(1, 1), account(2, 2));
    const [, other = assert.fail()] = others.log.read(0);
    assert.throws(() => taking.expectEnd(other), { name: 'ClusterError', reason: 'lost' });
  });

  test('facts of a later version are not taken: the folder could not be started with them', async () => {
    const { taking, log } = await followed(2);
    const later = Buffer.from(frames[2] ?? assert.fail());
    later[HEADER_BYTES] = 250;
    later.writeUInt32LE(crc32(later.subarray(CHECKED_FROM)), 4);
    await assert.rejects(taking.take([later]), { name: 'ClusterError', reason: 'ended' });
    assert.equal(log.head.position, 2);
  });

  test('one that does not continue the folder keeps those before it out: the log is not the one it was', async () => {
    const { taking, log } = await followed(0);
    const [first = assert.fail(), , third = assert.fail()] = frames;
    await assert.rejects(taking.take([first, third]), /the log does not continue this folder at fact 3/);
    assert.equal(log.head.position, 0);
  });
});
