/** The feed as the operator's route has it: lines, blank lines, refusals, and an end. */
import assert from 'node:assert/strict';
import { rmSync, truncateSync } from 'node:fs';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { FactFeed, MAX_READERS } from '../../src/feed/fact-feed.ts';
import type { FeedFollower } from '../../src/feed/feed-follower.ts';
import { listSegments } from '../../src/persistence/journal/journal-segments.ts';
import { JournalFolder } from '../persistence/journal/journal-folder.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { placed, START_MS } from '../webhooks/outbox/shop-facts.ts';

const BLANK = '\n';

let folder: TemporaryFolder;
let journal: JournalFolder;
let feed: FactFeed;

async function openFeed(): Promise<void> {
  folder = await createTemporaryFolder('fact-feed');
  journal = await JournalFolder.open(folder.path, 8 * 1024);
  await write(1);
  feed = new FactFeed({ folder: folder.path, position: end(), heartbeatMs: 30 });
}

async function closeFeed(): Promise<void> {
  await feed.stop();
  await journal.close();
  await folder.remove();
}

function end(): number {
  return journal.log.head.position;
}

async function write(groups: number): Promise<void> {
  const first = end() + 1;
  await journal.append(...Array.from({ length: groups }, (_, index) => [placed(first + index)]));
}

/** Some that are full, and the one that is written. */
async function writeSegments(): Promise<ReturnType<typeof listSegments>> {
  while (listSegments(folder.path).length < 4) await write(10);
  feed.advance(end());
  return listSegments(folder.path);
}

async function follow(after: number): Promise<FeedFollower> {
  const opening = await feed.open(after);
  assert.ok(opening.kind === 'open', opening.kind);
  assert.equal(await text(opening.body), BLANK, 'a blank line comes first');
  return opening.body;
}

async function text(body: FeedFollower): Promise<string | undefined> {
  const bytes = await body.read();
  return bytes && Buffer.from(bytes).toString();
}

async function nextSeq(body: FeedFollower): Promise<number> {
  for (;;) {
    const lines = (await text(body)) ?? assert.fail('it has ended');
    if (lines !== BLANK) return (JSON.parse(lines) as { seq: number }).seq;
  }
}

describe('the feed', { timeout: 180_000 }, () => {
  before(openFeed);
  after(closeFeed);

  test('begins where a time does', async () => {
    for (const atMs of [START_MS, START_MS + 10, START_MS + 20]) {
      await journal.append([placed(end() + 1, {}, atMs)]);
    }
    feed.advance(end());
    for (const [ms, position] of [
      [0, 0],
      [START_MS, 0],
      [START_MS + 1, 2],
      [START_MS + 10, 2],
      [START_MS + 11, 3],
      [START_MS + 21, 4],
    ] as const) {
      assert.equal(await feed.positionBefore(ms), position, `${ms - START_MS}`);
    }
  });

  test('tells what is durable, and a blank line when there is nothing for a while', async () => {
    const body = await follow(end() - 1);
    assert.equal(await nextSeq(body), end());
    assert.equal(await text(body), BLANK);
    await write(1);
    assert.equal(await text(body), BLANK, 'written, and nobody has said that it is durable');
    feed.advance(end());
    assert.equal(await nextSeq(body), end());
    await body.close();
  });

  test(`has ${MAX_READERS} places, and a reader that goes leaves its own`, async () => {
    const bodies = await Promise.all(Array.from({ length: MAX_READERS }, () => follow(0)));
    assert.deepEqual(await feed.open(0), { kind: 'full' });
    await bodies[0]?.close();
    const ahead = { kind: 'ahead', position: end() };
    assert.deepEqual(await feed.open(end() + 1), ahead, 'what is refused takes no place');
    bodies[0] = await follow(0);
    assert.deepEqual(await feed.open(0), { kind: 'full' });
    for (const body of bodies) await body.close();
  });

  test('ends its readers, waiting or not, and takes no more', async () => {
    const [waiting, busy] = [await follow(end()), await follow(0)];
    const read = text(waiting);
    feed.end();
    assert.deepEqual([await read, await text(busy)], [undefined, undefined]);
    assert.deepEqual(await feed.open(0), { kind: 'stopping' });
    await Promise.all([waiting.close(), busy.close()]);
  });
});

describe('the feed of a folder that lacks something', { timeout: 180_000 }, () => {
  beforeEach(openFeed);
  afterEach(closeFeed);

  test('fails the readers that come to a segment which is missing, and nobody else', async () => {
    const [first, second, third] = await writeSegments();
    assert.ok(first && second && third);
    rmSync(second.file);
    await assert.rejects(feed.open(second.firstSequence), /missing/);
    const body = await follow(0);
    await assert.rejects(async () => {
      for (;;) await text(body);
    }, /missing/);
    await body.close();
    rmSync(first.file);
    const noBeginning = await follow(0);
    await assert.rejects(() => text(noBeginning), /missing/);
    await noBeginning.close();
    await (await follow(third.firstSequence - 1)).close();
  });

  test('looks at an old segment before LMDB does: a damaged one fails its readers alone', async () => {
    const [, second] = await writeSegments();
    assert.ok(second);
    truncateSync(second.file, 8_192);
    const body = await follow(0);
    await assert.rejects(async () => {
      for (;;) await text(body);
    }, /cut short/);
    await assert.rejects(feed.open(second.firstSequence), /cut short/);
    await body.close();
    const other = await follow(end() - 1);
    assert.equal(await nextSeq(other), end());
    await other.close();
  });
});
