/**
 * Whatever is changed in a sound file, the check either refuses it or yields the same entries, but for the inside of
 * one key or value. The check throws nothing else and always ends.
 */
import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DamagedFileError } from '../../../../src/persistence/lmdb/damaged-file.ts';
import {
  collect,
  type Entry,
  LAST_VALUE_BYTES,
  writeMixedSample,
} from '../../../persistence/lmdb/lmdb-samples.ts';
import { type Random, randomFromEnvironment, roundsOr } from '../../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';

const TRIALS = roundsOr(5_000);
const META_BYTES = 24 + 144;

type Verdict = 'refused' | 'same entries' | 'one entry differs' | 'one database has another name';

let folder: TemporaryFolder;
let damaged: string;
before(async () => {
  folder = await createTemporaryFolder('lmdb-damage');
  damaged = join(folder.path, 'damaged.mdb');
});
after(() => folder.remove());

/** A copy of a sound file, of which a part is changed for as long as it is judged. */
class Copy {
  readonly sound: Buffer;
  readonly #entries: readonly Entry[];
  readonly #file: number;

  private constructor(sound: Buffer, entries: readonly Entry[]) {
    this.sound = sound;
    this.#entries = entries;
    this.#file = openSync(damaged, 'r+');
  }

  static async ofSample(random: Random, pageBytes?: number): Promise<Copy> {
    await rm(damaged, { force: true });
    await writeMixedSample(damaged, random, pageBytes);
    return new Copy(await readFile(damaged), collect(damaged).entries);
  }

  judge(at: number, bytes: Uint8Array, what: string): Verdict {
    this.#write(at, bytes);
    let found: readonly Entry[];
    try {
      found = collect(damaged).entries;
    } catch (error) {
      if (error instanceof DamagedFileError) return 'refused';
      throw new Error(`${what} ends in an exception of another kind`, { cause: error });
    } finally {
      this.#write(at, this.sound.subarray(at, at + bytes.length));
    }
    return compare(found, this.#entries, what);
  }

  /** Throws unless it is as sound as it was. */
  close(): void {
    closeSync(this.#file);
    assert.deepEqual(readFileSync(damaged), this.sound);
  }

  #write(at: number, bytes: Uint8Array): void {
    assert.equal(writeSync(this.#file, bytes, 0, bytes.length, at), bytes.length);
  }
}

function compare(found: readonly Entry[], expected: readonly Entry[], what: string): Verdict {
  assert.equal(found.length, expected.length, `${what} goes unnoticed and changes the number of entries`);
  const names = new Map<string, string>();
  let differing = 0;
  for (const [index, entry] of found.entries()) {
    const { database = '', key, value } = expected[index] ?? {};
    assert.equal(names.get(database) ?? entry.database, entry.database, `${what} mixes databases`);
    names.set(database, entry.database);
    if (entry.key !== key || entry.value !== value) differing += 1;
  }
  const renamed = [...names].filter(([before, now]) => before !== now).length;
  assert.ok(differing + renamed <= 1, `${what} changes ${differing} entries and ${renamed} names, unnoticed`);
  if (renamed === 1) return 'one database has another name';
  return differing === 1 ? 'one entry differs' : 'same entries';
}

/** Mostly outside the last large value; half of those hit the first bytes of a page: header, offsets, meta page. */
function pickPlace(random: Random, length: number, pageBytes: number): number {
  if (random.chance(0.1)) return random.between(0, length - 1);
  const pages = Math.floor((length - LAST_VALUE_BYTES) / pageBytes);
  if (random.chance(0.5)) return random.between(0, pages * pageBytes - 1);
  return random.between(0, pages - 1) * pageBytes + random.between(0, 80);
}

describe('a changed byte or bit', () => {
  for (const pageBytes of [512, 4096]) {
    it(`never passes for soundness, with pages of ${pageBytes} bytes`, async () => {
      const random = randomFromEnvironment();
      const copy = await Copy.ofSample(random, pageBytes);
      const { sound } = copy;
      const verdicts = new Map<Verdict, number>();
      for (let trial = 0; trial < TRIALS; trial += 1) {
        const at = pickPlace(random, sound.length, pageBytes);
        const change = random.chance(0.5) ? 1 << random.between(0, 7) : random.between(1, 255);
        const what = `seed ${random.seed}, trial ${trial}: byte ${at} changed by ${change}`;
        const verdict = copy.judge(at, Uint8Array.of((sound[at] ?? 0) ^ change), what);
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      }
      copy.close();
      assert.ok((verdicts.get('refused') ?? 0) > TRIALS / 20);
    });
  }

  it('never brings back an older state from a meta page', async () => {
    const random = randomFromEnvironment();
    const copy = await Copy.ofSample(random);
    const { sound } = copy;
    for (const start of [0, 4096]) {
      for (let bit = 0; bit < META_BYTES * 8; bit += 1) {
        const at = start + Math.floor(bit / 8);
        const changed = (sound[at] ?? 0) ^ (1 << (bit % 8));
        const what = `seed ${random.seed}: bit ${bit} of the page at ${start}`;
        const verdict = copy.judge(at, Uint8Array.of(changed), what);
        assert.ok(verdict === 'refused' || verdict === 'same entries');
      }
    }
    copy.close();
  });
});

describe('a changed page', () => {
  it('never passes for soundness when it is zeros, noise, or the content of another page', async () => {
    const random = randomFromEnvironment();
    const pageBytes = 512;
    const copy = await Copy.ofSample(random, pageBytes);
    const { sound } = copy;
    const pages = sound.length / pageBytes;
    for (let page = 0; page < pages; page += 1) {
      const target = Buffer.from(sound.subarray(page * pageBytes, (page + 1) * pageBytes));
      const other = random.between(0, pages - 1) * pageBytes;
      const kind = random.pick(['zeros', 'noise', 'another', 'noise behind the header'] as const);
      if (kind === 'zeros') target.fill(0);
      else if (kind === 'another') sound.copy(target, 0, other, other + pageBytes);
      else
        for (let at = kind === 'noise' ? 0 : 24; at < pageBytes; at += 1) target[at] = random.between(0, 255);
      copy.judge(page * pageBytes, target, `seed ${random.seed}: page ${page} becomes ${kind}`);
    }
    copy.close();
  });
});

/** Places in a sample with pages of 4096 bytes. */
interface Places {
  /** The meta page that counts. */
  readonly meta: number;
  /** The record of the database `rows`, and its root page, which is a branch. */
  readonly record: number;
  readonly root: number;
  /** The count of the first free list record. */
  readonly freeList: number;
}

const CRAFTED: readonly { name: string; craft: (bytes: Buffer, at: Places) => void; says: RegExp }[] = [
  {
    name: 'a branch that is its own child',
    craft: (bytes, at) => {
      const child = at.root + 24 + bytes.readUInt16LE(at.root + 24 + 2);
      bytes.writeUInt32LE(at.root / 4096, child);
    },
    says: /refers to page \d+, which is in use elsewhere$/,
  },
  {
    name: 'a last page that no disk could hold',
    craft: (bytes, at) => bytes.writeBigUInt64LE(2n ** 52n, at.meta + 24 + 120),
    says: /is cut short: \d+ bytes, \d+ expected$/,
  },
  {
    name: 'a depth that no cursor could follow',
    craft: (bytes, at) => bytes.writeUInt16LE(65_535, at.record + 6),
    says: /tree of depth 65535/,
  },
  {
    name: 'more entries than there are bytes',
    craft: (bytes, at) => bytes.writeBigUInt64LE(2n ** 63n, at.record + 32),
    says: /entries in the record of a tree that has \d+$/,
  },
  {
    name: 'a free list that lists live pages',
    craft: (bytes, at) => {
      bytes.writeBigInt64LE(1n, at.freeList);
      bytes.writeBigInt64LE(BigInt(at.root / 4096), at.freeList + 8);
    },
    says: /which is listed as free$/,
  },
  {
    name: 'a free run longer than the file',
    craft: (bytes, at) => {
      bytes.writeBigInt64LE(2n, at.freeList);
      bytes.writeBigInt64LE(-(2n ** 62n), at.freeList + 8);
      bytes.writeBigInt64LE(2n, at.freeList + 16);
    },
    says: /refers to page 2 \(\d+ pages\)/,
  },
  {
    name: 'a free list record that counts more words than it has',
    craft: (bytes, at) => bytes.writeBigInt64LE(2n ** 60n, at.freeList),
    says: /free list record of \d+ bytes with \d+ words$/,
  },
];

for (const { name, craft, says } of CRAFTED) {
  it(`a file made to mislead is refused: ${name}`, async () => {
    const random = randomFromEnvironment();
    const copy = await Copy.ofSample(random);
    copy.close();
    const bytes = Buffer.from(copy.sound);
    craft(bytes, findPlaces(bytes));
    await writeFile(damaged, bytes);
    assert.throws(
      () => collect(damaged),
      (error) => error instanceof DamagedFileError && says.test(error.message),
      `seed ${random.seed}`,
    );
  });
}

function findPlaces(bytes: Buffer): Places {
  const pageAt = (at: number) => Number(bytes.readBigUInt64LE(at)) * 4096;
  const meta = bytes.readBigUInt64LE(24 + 128) > bytes.readBigUInt64LE(4096 + 24 + 128) ? 0 : 4096;
  const name = 'rows\0';
  const record = bytes.indexOf(name, pageAt(meta + 24 + 72 + 40)) + name.length;
  const freeLeaf = pageAt(meta + 24 + 24 + 40);
  const freeNode = freeLeaf + 24 + bytes.readUInt16LE(freeLeaf + 24);
  return { meta, record, root: pageAt(record + 40), freeList: freeNode + 8 + 8 };
}
