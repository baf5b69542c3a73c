/** Chunks that no manifest lists: which of several tries counts, and what is refused. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chunkHash, chunkName, encodeChunk } from '../../../src/backup/chunk.ts';
import { FolderTarget } from '../../../src/backup/target/folder-target.ts';
import { GENESIS } from '../../../src/persistence/journal/frame-log.ts';
import { DataKeys } from '../../../src/persistence/keys/data-keys.ts';
import { RowCipher } from '../../../src/persistence/keys/row-cipher.ts';
import { BackupSource } from '../../../src/restore/backup-source.ts';
import { SeriesIndex, SeriesPart } from '../../../src/restore/series-part.ts';
import { ChunkSource } from '../../../src/restore/source-chunk.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

/** A try of a chunk: what it says, and which other try (number and attempt) it continues; `half` of it is there. */
interface Try {
  readonly at: readonly [number: number, attempt: number];
  readonly says: string;
  readonly behind?: readonly [number: number, attempt: number];
  readonly isHalf?: boolean;
  readonly shop?: string;
}

interface Case {
  readonly name: string;
  readonly tries: readonly Try[];
  /** The chunks that are read, or the refusal. */
  readonly gives: readonly string[] | RegExp;
}

const first: Try = { at: [1, 1], says: 'one' };
const second: Try = { at: [2, 1], says: 'two', behind: [1, 1] };

const CASES: readonly Case[] = [
  {
    name: 'a try that was cut short doesn’t count',
    tries: [
      { ...first, isHalf: true },
      { ...first, at: [1, 2] },
      { ...second, behind: [1, 2] },
    ],
    gives: ['one', 'two'],
  },
  {
    name: 'of two that open, the one counts that the next chunk names',
    tries: [first, { at: [1, 2], says: 'another' }, second],
    gives: ['one', 'two'],
  },
  {
    name: 'of the last number, the last try counts',
    tries: [first, second, { at: [2, 2], says: 'another', behind: [1, 1] }],
    gives: ['one', 'another'],
  },
  {
    name: 'a try that continues something else doesn’t count',
    tries: [first, second, { at: [2, 2], says: 'another', behind: [9, 9] }],
    gives: ['one', 'two'],
  },
  {
    name: 'a chunk that continues nothing',
    tries: [first, { ...second, behind: [9, 9] }],
    gives: /0+2-1\.chunk at .* does not continue the one before/,
  },
  {
    name: 'a chunk of another shop',
    tries: [first, { ...second, shop: 'other' }],
    gives: /holds backups of more than one shop/,
  },
];

describe('a series without a manifest', () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await createTemporaryFolder('series');
  });
  after(() => folder.remove());

  for (const [index, { name, tries, gives }] of CASES.entries()) {
    test(name, async () => {
      const cipher = new RowCipher(DataKeys.create(randomBytes(32), randomBytes(32)));
      const target = new FolderTarget(join(folder.path, String(index)), { makesFolder: true });
      const hashes = new Map<string, string>([['9,9', 'ab'.repeat(32)]]);
      for (const { at, says, behind, isHalf, shop = 'own' } of tries) {
        const [number, attempt] = at;
        const place = { series: 'log', epoch: 1, number } as const;
        const previous = behind === undefined ? '' : (hashes.get(String(behind)) ?? '');
        const to = { position: number, hash: Buffer.alloc(32, number) };
        const bytes = encodeChunk(
          { ...place, shop, previous, from: GENESIS, to, lastAtMs: 1 },
          Buffer.from(says),
          cipher,
        );
        hashes.set(String(at), chunkHash(bytes));
        await target.create(chunkName(place, attempt), isHalf === true ? bytes.subarray(0, 30) : bytes);
      }
      const chunks = new ChunkSource(new BackupSource(target), { shop: 'own', cipher });
      const series = await SeriesIndex.list(chunks, 'log', 1);
      const part = new SeriesPart(chunks, series, 0, '');
      const read = async () => {
        part.expectThere(part.count);
        const found: string[] = [];
        for await (const { body } of part.readFirst(part.count)) found.push(body.toString());
        return found;
      };
      if (gives instanceof RegExp) await assert.rejects(read, gives);
      else assert.deepEqual(await read(), gives);
      await target.close();
    });
  }
});
