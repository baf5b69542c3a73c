/** Entries that a following node takes: their order, those taken together, and the place that it may remember. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { EntryTaker } from '../../src/cluster/entry-taker.ts';
import type { Entry, EntryKind } from '../../src/cluster/shared-table.ts';
import type { Fact } from '../../src/engine/fact.ts';
import { JournalFullError } from '../../src/engine/loop/journal.ts';
import { account } from '../webhooks/outbox/shop-facts.ts';

/** A part of rows that doesn't end its set. */
const PART = 'part';

describe('entries at a node that follows', () => {
  let happened: string[];
  let followed: number;
  let whenFull: (() => void) | undefined;

  beforeEach(() => {
    [happened, followed, whenFull] = [[], 0, undefined];
  });

  /** A taker of facts: each frame is one fact's. */
  const taker = () => {
    return new EntryTaker({
      from: { entry: 0, term: 1 },
      engine: {
        acceptsCommands: true,
        follow: (facts: readonly Fact[]) => {
          followed += facts.length;
        },
      },
      frames: {
        take: async (frames) => {
          if (whenFull !== undefined) {
            whenFull();
            throw new JournalFullError();
          }
          happened.push(`${frames.length} of facts`);
          return frames.map((_, place) => [account(1 + place)]);
        },
      },
      texts: async (part) => {
        happened.push('texts');
        return part.toString() !== PART;
      },
      outbox: async (parts) => {
        happened.push(`${parts.length} of outbox`);
        return parts.at(-1)?.toString() !== PART;
      },
      keys: () => happened.push('keys'),
      onFull: () => happened.push('full'),
    });
  };

  const entries = (...kinds: readonly (EntryKind | readonly [EntryKind, string])[]): Entry[] =>
    kinds.map((each, index) => {
      const [kind, text] = typeof each === 'string' ? [each, ''] : each;
      return { number: index + 1, term: 1, kind, confirmed: index, bytes: Buffer.from(text) };
    });

  const cases: readonly [what: string, given: Entry[], expected: string, place: number][] = [
    [
      'facts that follow each other are taken together, and never past what stands between them',
      entries('facts', 'texts', 'facts', 'facts', 'keys', 'facts'),
      '1 of facts, texts, 2 of facts, keys, 1 of facts',
      6,
    ],
    [
      "the outbox's rounds come behind the facts that they came with, and together",
      entries('facts', 'outbox', 'facts', 'outbox', 'keys', 'outbox', 'facts'),
      '2 of facts, 2 of outbox, keys, 1 of facts, 1 of outbox',
      7,
    ],
    [
      'amid a set the place stays before it',
      entries('facts', ['texts', PART], 'facts', 'facts'),
      '1 of facts, texts, 2 of facts',
      1,
    ],
    [
      'amid a round it stays before all that came with it',
      entries('keys', 'facts', ['outbox', PART], 'facts'),
      'keys, 2 of facts, 1 of outbox',
      1,
    ],
    [
      'and moves behind all of it with its end',
      entries(['outbox', PART], 'keys', 'facts', 'outbox', 'facts'),
      '1 of outbox, keys, 2 of facts, 1 of outbox',
      5,
    ],
    ['a term ends the sets before it', entries(['texts', PART], 'facts', 'term'), 'texts, 1 of facts', 3],
  ];
  for (const [what, given, expected, place] of cases) {
    test(what, async () => {
      const taking = taker();
      await taking.take(given);
      assert.equal(happened.join(', '), expected);
      assert.equal(taking.place.entry, place);
      assert.equal(followed, given.filter(({ kind }) => kind === 'facts').length);
    });
  }

  test('a folder without room has none of the facts, says so once, and has all of them later', async () => {
    const taking = taker();
    let tries = 0;
    whenFull = () => {
      tries += 1;
      assert.deepEqual([taking.place.entry, followed], [1, 0]);
      if (tries === 2) whenFull = undefined;
    };
    await taking.take(entries('texts', 'facts', 'facts'));
    assert.deepEqual(happened, ['texts', 'full', '2 of facts']);
    assert.deepEqual([taking.place.entry, followed], [3, 2]);
  });
});
