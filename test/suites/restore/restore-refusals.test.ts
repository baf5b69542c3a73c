/**
 * Refusals of restores are one sentence that says what to do, and nothing is left of the folder: a source of which one
 * object is missing, cut short, or has one bit flipped, and all that an operator may have named or given by mistake.
 * Objects that may be amiss without harm are here with the reason.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chunkName } from '../../../src/backup/chunk.ts';
import { FolderTarget } from '../../../src/backup/target/folder-target.ts';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { purser } from '../../cli/fake-operator.ts';
import { Random } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { backUpByHand, masterKeyIn } from './hand-made-backup.ts';
import { RandomShop } from './random-shop.ts';

const CHANGES = {
  'a bit flipped': (bytes: Buffer, at: number) => bytes.fill((bytes[at] ?? 0) ^ 4, at, at + 1),
  'cut short': (bytes: Buffer) => bytes.subarray(0, bytes.length - 1),
  missing: () => undefined,
} as const;
type Change = keyof typeof CHANGES;

interface Kind {
  readonly what: string;
  /** The folder, and which file in it, in the order of names; from the end when it is negative. */
  readonly object: readonly [folder: string, place: number];
  /** Why there is no harm. */
  readonly harmless?: Partial<Record<Change, string>>;
  /** The message beside, or instead of, the object's name. */
  readonly says?: Partial<Record<Change, RegExp>>;
}

const ALWAYS = (why: string) => ({ 'a bit flipped': why, 'cut short': why, missing: why });
const KINDS: readonly Kind[] = [
  {
    what: 'the key ring',
    object: ['keys', -1],
    says: { missing: /no key ring/ },
  },
  {
    what: 'the newest run',
    object: ['runs', -1],
    says: {
      missing:
        /^error: runs\/000001-00000002.json is missing at .*, or restore what is there without it: purser restore .* --at \d+$/m,
    },
  },
  {
    what: 'an earlier run',
    object: ['runs', 0],
    harmless: ALWAYS('the newest one says whether another node went on, and all say where the epoch forks'),
  },
  {
    what: 'the newest manifest',
    object: ['manifests', -1],
    harmless: {
      missing: 'its chunks are found by their names, and continue each other; sales are closed without it',
    },
  },
  {
    what: 'the first chunk of the base',
    object: ['base', 0],
  },
  {
    what: 'the last chunk of the base',
    object: ['base', -1],
    says: { 'a bit flipped': /^error: base\/.* is not what was written, by its SHA-256: .*--at \d+$/m },
  },
  {
    what: 'a chunk of the log',
    object: ['log', -2],
    says: { missing: /^error: log\/.* is missing at .*: purser restore \S+ --data \S+ --at \d+$/m },
  },
  {
    what: 'the last chunk of the log',
    object: ['log', -1],
    harmless: { missing: 'nothing names it, as the plan says (`unseen`); sales are closed' },
  },
];

interface Case {
  readonly name: string;
  /** Spoils a copy of a sound backup, or the place to restore to. */
  readonly spoil?: (source: string, data: string, shop: string) => void;
  readonly flags?: readonly string[];
  readonly masterKey?: string;
  readonly says: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: 'another master key',
    masterKey: randomBytes(32).toString('base64'),
    says: /needs the master key with the id [0-9a-f]{8}, and the one from PURSER_MASTER_KEY has/,
  },
  {
    name: 'a chunk of the base whose name alone tells of it',
    spoil: (source) => {
      rmSync(join(source, 'log'), { recursive: true });
      const number = readdirSync(join(source, 'base', '000001')).length + 2;
      writeFileSync(join(source, chunkName({ series: 'base', epoch: 1, number }, 1)), 'x');
    },
    says: /^error: base\/.* is missing at /m,
  },
  {
    name: 'an epoch that the backup has',
    spoil: (source) => writeFileSync(join(source, 'runs', '000007-00000001.json'), '{}'),
    flags: ['--epoch', '7'],
    says: /--epoch 7 cannot be begun: the backup at .* has epoch 7, so choose one from 8 to 500/,
  },
];

describe('a source that is not as it was', { timeout: 240_000 }, () => {
  let folder: TemporaryFolder;
  let original: string;
  let sound: string;
  let copies = 0;

  before(async () => {
    folder = await createTemporaryFolder('refusals');
    // One whose last chunk of the log has facts: without any, nothing would be missing.
    const shop = await RandomShop.open(new Random(12));
    await shop.live(40);
    await shop.node.stop();
    original = shop.node.folder.path;
    sound = join(folder.path, 'sound');
    const target = new FolderTarget(sound, { makesFolder: true });
    const shape = { target, random: calm(), base: 0.5, hasLog: true, hasManifest: true, runs: 2 };
    await backUpByHand(original, { ...shape, entriesPerChunk: 10 });
    await target.close();
  });
  after(async () => {
    await folder.remove();
    rmSync(original, { recursive: true });
  });

  async function restored(source: string, data: string, flags: readonly string[] = [], masterKey?: string) {
    const env = { PURSER_MASTER_KEY: masterKey ?? masterKeyIn(original) };
    const outcome = await purser(['restore', source, '--data', data, '--json', ...flags], { env });
    return { code: outcome.exitCode, out: outcome.stdout, error: outcome.stderr };
  }

  function copied(): { source: string; data: string } {
    copies += 1;
    const source = join(folder.path, `source-${copies}`);
    cpSync(sound, source, { recursive: true });
    return { source, data: join(folder.path, `data-${copies}`) };
  }

  async function expectRefused(
    { source, data }: { source: string; data: string },
    { says, flags, masterKey }: Case,
  ): Promise<void> {
    const had = readdirSync(folder.path);
    const { code, out, error } = await restored(source, data, flags, masterKey);
    assert.match(error, says);
    assert.equal(error.trimEnd().split('\n').length, 1, error);
    assert.deepEqual({ code, out }, { code: 1, out: '' });
    assert.deepEqual(readdirSync(folder.path), had, 'nothing is made');
  }

  for (const kind of KINDS) {
    for (const change of Object.keys(CHANGES) as Change[]) {
      const why = kind.harmless?.[change];
      if (why !== undefined) {
        test(`${kind.what}, ${change}, does no harm: ${why}`, async () => {
          const { source, data } = copied();
          alter(source, kind, change);
          const { code, out, error } = await restored(source, data, ['--dry-run']);
          assert.equal(code, 0, error);
          assert.equal(JSON.parse(out).cleanEnd, false);
        });
        continue;
      }
      test(`${kind.what}, ${change}, is refused by name`, async () => {
        const place = copied();
        const name = alter(place.source, kind, change);
        const says = kind.says?.[change] ?? new RegExp(`${name} `);
        await expectRefused(place, { name, says });
      });
    }
  }

  for (const refusal of CASES) {
    test(`${refusal.name} is refused`, async () => {
      const place = copied();
      refusal.spoil?.(place.source, place.data, original);
      await expectRefused(place, refusal);
    });
  }

  test('what lies before a damaged object can be restored, as the refusal says', async () => {
    const { source, data } = copied();
    alter(source, { what: '', object: ['log', -1] }, 'a bit flipped');
    const refused = await restored(source, data, ['--epoch', '4']);
    const [line = '', at = ''] = /purser restore .* --at (\d+)$/m.exec(refused.error) ?? [];
    assert.equal(line, `purser restore ${source} --data ${data} --epoch 4 --at ${at}`);
    const beyond = await restored(source, data, ['--at', String(Number(at) + 1)]);
    assert.match(beyond.error, /^error: log\/.* is damaged or cut short: .* --at \d+$/m);
    const { code, error } = await restored(source, data, ['--at', at]);
    assert.equal(code, 0, error);
    const report: string[] = [];
    const isSound = await verifyDataFolder(data, (said) => report.push(said), masterKeyIn(original));
    assert.ok(isSound, report.join('\n'));
  });

  test('sound, it is restored, into an empty folder that is there as well, as a higher epoch if that is asked for', async () => {
    const { source, data } = copied();
    mkdirSync(data);
    const { code, out, error } = await restored(source, data, ['--epoch', '9']);
    assert.equal(code, 0, error);
    const { epoch, sales } = JSON.parse(out);
    assert.deepEqual([epoch, sales], [9, 'closed']);
    assert.ok(readdirSync(data).includes('format'));
  });

  test('a clean end stays one with --at its end, unless a run or a manifest is passed over', async () => {
    const source = join(folder.path, 'source-clean');
    const target = new FolderTarget(source, { makesFolder: true });
    const shape = { target, random: new Random(3), base: 1, hasLog: false, hasManifest: true };
    const { head } = await backUpByHand(original, { ...shape, isCleanEnd: true });
    await target.close();
    const [run, manifest] = [
      'runs/000001-00000009.json',
      'manifests/000001/0000000000999999-000000000000001.json',
    ];
    for (const added of [undefined, run, manifest]) {
      if (added !== undefined) writeFileSync(join(source, added), 'written by nobody');
      for (const point of added === manifest ? ['2100-01-01'] : ['2100-01-01', String(head.position)]) {
        const flags = ['--at', point, '--dry-run'];
        const { out, error } = await restored(source, join(folder.path, 'clean'), flags);
        const { cleanEnd, gap, notSigned } = JSON.parse(out || error);
        const isClean = added === undefined;
        assert.deepEqual([cleanEnd, gap === null, notSigned], [isClean, isClean, added], `${point} ${added}`);
      }
      if (added !== undefined) rmSync(join(source, added));
    }
  });
});

/** No tries that failed: then the last object is the last chunk. */
function calm(): Random {
  const random = new Random(11);
  random.chance = () => false;
  return random;
}

/** Says which object it was. */
function alter(source: string, { object: [below, place] }: Kind, change: Change): string {
  const names = readdirSync(join(source, below), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => /\.[a-z]+$/.test(name)).sort();
  const name = join(below, files.at(place) ?? assert.fail(`${below} is empty`));
  const bytes = readFileSync(join(source, name));
  const next = CHANGES[change](Buffer.from(bytes), bytes.length >> 1);
  rmSync(join(source, name));
  if (next !== undefined) writeFileSync(join(source, name), next);
  return name;
}
