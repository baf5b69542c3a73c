/**
 * One object of a source is missing, cut short, or has one bit flipped: the restore is refused in one sentence that names
 * it. What may be so without harm is here with the reason.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { FolderTarget } from '../../../src/backup/target/folder-target.ts';
import {
  BACKUP_FORMAT,
  headName,
  keysName,
  PROGRESS,
  positionJson,
} from '../../../src/backup/target-layout.ts';
import { run } from '../../../src/cli/program.ts';
import { KeyRing } from '../../../src/persistence/disk/key-ring.ts';
import { GENESIS } from '../../../src/persistence/journal/frame-log.ts';
import { signHead } from '../../../src/receipts/signed-head.ts';
import { SigningKey } from '../../../src/receipts/signing-key.ts';
import { Random } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { backUpByHand, masterKeyIn, put, putRecord } from './hand-made-backup.ts';
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
  /** When another object tells. */
  readonly says?: Partial<Record<Change, RegExp>>;
}

const ALWAYS = (why: string) => ({ 'a bit flipped': why, 'cut short': why, missing: why });

const KINDS: readonly Kind[] = [
  { what: 'the key ring', object: ['keys', -1], says: { missing: /no key ring/ } },
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
  { what: 'an earlier manifest', object: ['manifests', 0], harmless: ALWAYS('the newest one has all of it') },
  { what: 'the first chunk of the base', object: ['base', 0] },
  { what: 'the last chunk of the base', object: ['base', -1] },
  { what: 'a chunk of the log', object: ['log', -2] },
  {
    what: 'the last chunk of the log',
    object: ['log', -1],
    says: { missing: /the signed head at .* speaks of fact \d+, and the chunks end at fact \d+/ },
  },
  {
    what: 'a signed head',
    object: ['heads', -1],
    harmless: ALWAYS(
      'it proves nothing then, and a dry run names it; the heads before it and all else are proved',
    ),
  },
  {
    what: 'the progress of a backup that was interrupted',
    object: ['progress', -1],
    harmless: ALWAYS('nobody restores from it'),
  },
];

describe('a source of which one object is not as it was', { timeout: 120_000 }, () => {
  let folder: TemporaryFolder;
  let original: string;
  let sound: string;

  before(async () => {
    folder = await createTemporaryFolder('altered');
    const random = new Random(11);
    random.chance = () => false;
    // Chunks of ten entries, so that the last one has facts, too.
    random.pick = (choices) => choices[2] ?? assert.fail();
    const shop = await RandomShop.open(new Random(11));
    await shop.live(40);
    await shop.node.stop();
    original = shop.node.folder.path;
    sound = join(folder.path, 'sound');
    const target = new FolderTarget(sound, { makesFolder: true });
    const shape = { target, random, base: 0.5, hasLog: true, hasManifest: true, runs: 2 };
    const { objects, head } = await backUpByHand(original, shape);
    const ring = KeyRing.read(original, undefined);
    const { shop: name } = ring;
    const earlier = {
      format: BACKUP_FORMAT,
      shop: name,
      epoch: 1,
      run: 1,
      position: { seq: 0, hash: GENESIS.hash.toString('hex') },
      lastAt: 0,
      at: 1,
      isCleanEnd: true,
      keys: { name: keysName(1, 1), bytes: 0, sha256: '' },
      logThrough: 0,
      chunks: objects.slice(0, 1),
    } as const;
    await putRecord(target, ring, earlier);
    await put(target, `${PROGRESS}000001/0000000000000001-000000000000001.json`, Buffer.from('{}'));
    const claims = { shop: name, epoch: 1, position: positionJson(head), at: 1 };
    const jws = signHead(SigningKey.fromSeed(ring.signingSeed), claims);
    await put(target, headName(1, head.position), Buffer.from(jws));
    await target.close();
  });
  after(async () => {
    await folder.remove();
    rmSync(original, { recursive: true });
  });

  async function restored(source: string, data: string, ...flags: string[]) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const env = { PURSER_MASTER_KEY: masterKeyIn(original) };
    const args = ['restore', source, '--data', data, '--json', ...flags];
    const code = await run(args, { env, stdin: new PassThrough(), stdout, stderr });
    stdout.end();
    stderr.end();
    return { code, out: await text(stdout), error: await text(stderr) };
  }

  function changed(kind: Kind, change: Change, source: string): string {
    cpSync(sound, source, { recursive: true });
    const [below, place] = kind.object;
    const names = readdirSync(join(source, below), { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => /\.[a-z]+$/.test(name)).sort();
    const name = join(below, files.at(place) ?? assert.fail(`${below} is empty`));
    const bytes = readFileSync(join(source, name));
    const next = CHANGES[change](Buffer.from(bytes), Math.floor(bytes.length / 2));
    rmSync(join(source, name));
    if (next !== undefined) writeFileSync(join(source, name), next);
    return name;
  }

  test('sound, it is restored', async () => {
    const { code, error } = await restored(sound, join(folder.path, 'data'));
    assert.equal(code, 0, error);
  });

  for (const [index, kind] of KINDS.entries()) {
    for (const change of Object.keys(CHANGES) as Change[]) {
      const why = kind.harmless?.[change];
      const source = () => join(folder.path, `source ${index} ${change}`);
      const data = () => join(folder.path, `data ${index} ${change}`);
      if (why !== undefined) {
        test(`${kind.what}, ${change}, does no harm: ${why}`, async () => {
          changed(kind, change, source());
          const { code, out, error } = await restored(source(), data(), '--dry-run');
          assert.equal(code, 0, error);
          assert.equal(JSON.parse(out).cleanEnd, false);
        });
        continue;
      }
      test(`${kind.what}, ${change}, is refused by name`, async () => {
        const name = changed(kind, change, source());
        const { code, out, error } = await restored(source(), data());
        assert.deepEqual({ code, out }, { code: 1, out: '' }, error);
        assert.equal(error.trimEnd().split('\n').length, 1, error);
        const says = kind.says?.[change];
        if (says === undefined) assert.ok(error.includes(`${name} `), error);
        else assert.match(error, says);
        assert.ok(!existsSync(data()));
      });
    }
  }

  test('an altered run and manifest are passed over with --at, and named; sales are closed', async () => {
    const source = join(folder.path, 'source-at');
    const [runs, manifests] = [KINDS[1], KINDS[3]].map((kind) => kind ?? assert.fail());
    const name = changed(runs ?? assert.fail(), 'a bit flipped', source);
    const other = changed(manifests ?? assert.fail(), 'a bit flipped', join(folder.path, 'other-source'));
    cpSync(join(folder.path, 'other-source', other), join(source, other));
    const { code, out, error } = await restored(
      source,
      join(folder.path, 'data-at'),
      '--at',
      '2100-01-01',
      '--dry-run',
    );
    assert.equal(code, 0, error);
    const plan = JSON.parse(out);
    assert.equal(plan.cleanEnd, false);
    assert.equal(plan.notSigned, [name, other].join(', '));
  });

  const moments: Record<
    string,
    { readonly add?: string; readonly at: 'a moment' | 'the last fact'; readonly isClean: boolean }
  > = {
    'a moment to come': { at: 'a moment', isClean: true },
    'its last fact': { at: 'the last fact', isClean: true },
    'a moment, with a run that nobody wrote': {
      add: 'runs/000001-00000009.json',
      at: 'a moment',
      isClean: false,
    },
    'its last fact, with such a run': {
      add: 'runs/000001-00000009.json',
      at: 'the last fact',
      isClean: false,
    },
    'a moment, with a manifest that nobody wrote': {
      add: 'manifests/000001/0000000000999999-000000000000001.json',
      at: 'a moment',
      isClean: false,
    },
  };
  test('a clean end stays one with --at its end, unless a run or a manifest is passed over', async () => {
    const source = join(folder.path, 'source-clean');
    const target = new FolderTarget(source, { makesFolder: true });
    const shape = { target, random: new Random(3), base: 1, hasLog: false, hasManifest: true };
    const { head } = await backUpByHand(original, { ...shape, isCleanEnd: true });
    await target.close();
    for (const [what, { add, at, isClean }] of Object.entries(moments)) {
      if (add !== undefined) writeFileSync(join(source, add), 'junk');
      const point = at === 'a moment' ? '2100-01-01' : String(head.position);
      const { out, error } = await restored(source, join(folder.path, 'clean'), '--at', point, '--dry-run');
      const plan = JSON.parse(out || error);
      assert.deepEqual([plan.cleanEnd, plan.gap === null], [isClean, isClean], what);
      assert.equal(plan.notSigned, add, what);
      if (add !== undefined) rmSync(join(source, add));
    }
  });
});
