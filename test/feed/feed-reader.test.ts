/** A reader's way through a journal: complete, in order, once, from anywhere, over segments, as far as it may. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Fact } from '../../src/engine/fact.ts';
import { MAX_COUNTED_LINES } from '../../src/engine/limits.ts';
import { FeedReader } from '../../src/feed/feed-reader.ts';
import { countOn, type LineCount } from '../../src/feed/line-count.ts';
import { listSegments } from '../../src/persistence/journal/journal-segments.ts';
import { openLogReader } from '../../src/persistence/journal/open-log.ts';
import { JournalFolder } from '../persistence/journal/journal-folder.ts';
import { randomFromEnvironment } from '../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { placed, productUpdated, START_MS } from '../webhooks/outbox/shop-facts.ts';

const random = randomFromEnvironment();

describe(`a reader of the feed (seed ${random.seed})`, () => {
  let folder: TemporaryFolder;
  let journal: JournalFolder;
  /** Where groups end. */
  const ends: number[] = [0];

  before(async () => {
    folder = await createTemporaryFolder('feed-reader');
    journal = await JournalFolder.open(folder.path, 8 * 1024);
    for (let group = 0; group < 40; group += 1) await write(random.between(1, 40));
    // More than a chunk, in one group.
    const large = productUpdated(1, { description: 'x'.repeat(10_000) });
    await append(Array.from({ length: 40 }, () => large));
  });
  after(async () => {
    await journal.close();
    await folder.remove();
  });

  function write(count: number): Promise<void> {
    return append(Array.from({ length: count }, (_, index) => placed(end() + 1 + index)));
  }

  async function append(facts: Fact[]): Promise<void> {
    await journal.append(facts);
    ends.push(end() + facts.length);
  }

  function end(): number {
    return ends.at(-1) ?? 0;
  }

  function open(position: number): FeedReader {
    const reader = FeedReader.open(openLogReader(folder.path), position);
    assert.ok(reader instanceof FeedReader, `nothing after ${position}`);
    return reader;
  }

  /** The sequences of what it reads, chunk by chunk, to `through`. */
  function sequences(reader: FeedReader, position: number, through: number): number[][] {
    const chunks: number[][] = [];
    for (let last = position; last < through; ) {
      const chunk = reader.read(through);
      const lines = Buffer.from(chunk.bytes).toString().split('\n').filter(Boolean);
      chunks.push(lines.map((line) => (JSON.parse(line) as { seq: number }).seq));
      assert.ok(chunk.last > last && chunk.last >= (chunks.at(-1)?.at(-1) ?? 0));
      last = chunk.last;
    }
    return chunks;
  }

  test('has everything once, in order, from wherever it begins', async () => {
    assert.ok(listSegments(folder.path).length > 5);
    const positions = [0, end() - 1, ...Array.from({ length: 15 }, () => random.between(0, end() - 1))];
    for (const position of positions) {
      const reader = open(position);
      assert.deepEqual(sequences(reader, position, end()).flat(), range(position + 1, end()));
      await reader.close();
    }
  });

  test('leaves out what it does not want, and goes on all the same', async () => {
    const isLarge = (seq: number) => seq > end() - 40;
    const cases: [types: string[], isWanted: (seq: number) => boolean][] = [
      [['OrderPlaced'], (seq) => !isLarge(seq)],
      [['ProductUpdated'], isLarge],
      [['ProductUpdated', 'OrderPlaced'], () => true],
      [['SalesOpened'], () => false],
    ];
    for (const [types, isWanted] of cases) {
      const reader = FeedReader.open(openLogReader(folder.path), 3, [], { types });
      assert.ok(reader instanceof FeedReader);
      const told = sequences(reader, 3, end()).flat();
      assert.deepEqual(told, range(4, end()).filter(isWanted), types.join());
      await reader.close();
    }
  });

  test('has its lines counted from anywhere, at once or going on, and no more than there is a figure for', async () => {
    const countFrom = async (begun: LineCount, types?: string[]) => {
      const log = openLogReader(folder.path);
      // On a busy machine a slice has a part of them.
      let count = begun;
      while (count.through < end() && count.lines < MAX_COUNTED_LINES)
        count = countOn(log, count, end(), { types });
      await log.close();
      return count;
    };
    const none = { lines: 0, sinceMs: undefined };
    const through = ends.at(-12) ?? 0;
    const all = { through: end(), lines: end() - through, sinceMs: START_MS };
    assert.deepEqual(await countFrom({ through, ...none }), all);
    const begun = { through, lines: 3, sinceMs: 1 };
    assert.deepEqual(await countFrom(begun), { ...all, lines: 3 + all.lines, sinceMs: 1 });
    assert.deepEqual(await countFrom({ through, ...none }, ['ProductUpdated']), { ...all, lines: 40 });
    assert.deepEqual(await countFrom({ through: end() - 5, ...none }), { ...all, lines: 5 });
    assert.deepEqual(await countFrom({ through, ...none }, ['SalesOpened']), { ...all, ...none });
    const before = end();
    await write(MAX_COUNTED_LINES + 1);
    assert.equal((await countFrom({ through: before, ...none })).lines, MAX_COUNTED_LINES);
  });
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
