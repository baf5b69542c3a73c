/** What can't be restored is refused in one sentence that says what to do, and nothing is left of it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { FolderTarget } from '../../../src/backup/target/folder-target.ts';
import { headName } from '../../../src/backup/target-layout.ts';
import { run } from '../../../src/cli/program.ts';
import { KeyRing } from '../../../src/persistence/disk/key-ring.ts';
import type { LogHead } from '../../../src/persistence/journal/frame-log.ts';
import { extentOf, frameHash } from '../../../src/persistence/journal/journal-frame.ts';
import { openLogReader } from '../../../src/persistence/journal/open-log.ts';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { signHead } from '../../../src/receipts/signed-head.ts';
import { SigningKey } from '../../../src/receipts/signing-key.ts';
import { Random } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { backUpByHand, masterKeyIn } from './hand-made-backup.ts';
import { RandomShop } from './random-shop.ts';

interface Case {
  readonly name: string;
  /** Spoils a copy of a sound backup, or the place to restore to. */
  readonly spoil: (source: string, data: string, shop: string) => void;
  readonly flags?: readonly string[];
  readonly masterKey?: string;
  readonly says: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: 'no source',
    spoil: (source) => rmSync(source, { recursive: true }),
    says: /no (such )?folder|is not there|does not exist/i,
  },
  { name: 'an empty source', spoil: emptied, says: /is empty: name the place that/ },
  {
    name: 'a folder of other things',
    spoil: (source) => {
      emptied(source);
      writeFileSync(join(source, 'notes.txt'), 'buy milk');
    },
    says: /is no backup of Purser: it has "notes.txt"/,
  },
  {
    name: 'another master key',
    spoil: () => {},
    masterKey: randomBytes(32).toString('base64'),
    says: /needs the master key with the id [0-9a-f]{8}, and the one from PURSER_MASTER_KEY has/,
  },
  {
    name: 'no master key',
    spoil: () => {},
    masterKey: '',
    says: /give --master-key-file, or set PURSER_MASTER_KEY/,
  },
  {
    name: 'a master key that is none',
    spoil: () => {},
    masterKey: 'secret',
    says: /PURSER_MASTER_KEY must be 32 bytes in base64/,
  },
  {
    name: 'a damaged key ring',
    spoil: (source) => spoil(source, 'keys'),
    says: /^error: the key ring keys\/000001-00000001.ring at .* is damaged: put it back from another copy$/m,
  },
  {
    name: 'a chunk of the manifest is missing',
    spoil: (source) => rmSync(fileIn(source, 'base', 1)),
    says: /^error: base\/.* is missing at .*, or cut short: put that object back .*--at \d+$/m,
  },
  {
    name: 'a chunk of the manifest is altered',
    spoil: (source) => spoil(source, 'base', 1),
    says: /^error: base\/.* is not what was written, by its SHA-256: put that object back .*--at \d+$/m,
  },
  {
    name: 'the first chunk of all is missing',
    spoil: (source) => rmSync(fileIn(source, 'base', 0)),
    says: /is missing at .*: put that object back .*; nothing that lies before it can be restored$/m,
  },
  {
    name: 'a chunk behind the manifest is missing',
    spoil: (source) => rmSync(fileIn(source, 'log', -2)),
    says: /^error: log\/.* is missing at .*: put that object back .*: purser restore \S+ --data \S+ --at \d+$/m,
  },
  {
    name: 'the last chunk is altered',
    spoil: (source) => spoil(source, 'log', -1),
    says: /^error: log\/.* is damaged or cut short: .*--at \d+$/m,
  },
  {
    name: 'chunks end before a signed head',
    spoil: (source, _, shop) => withHead(source, 999_999, signedHead(shop, 999_999)),
    says: /the signed head at .* speaks of fact 999999, and the chunks end at fact \d+: put back what is missing, or restore what is there with --at \d+/,
  },
  {
    name: 'another history than the shop signed',
    spoil: (source, _, shop) => withHead(source, 2, signedHead(shop, 2)),
    says: /are not those that the shop signed at fact 2: somebody has written its history anew/,
  },
  {
    name: 'a folder that has something',
    spoil: (_, data) => {
      mkdirSync(data);
      writeFileSync(join(data, 'precious'), '');
    },
    says: /is not empty \(it has precious\), and a restore replaces nothing/,
  },
  {
    name: 'a file where the folder should be',
    spoil: (_, data) => writeFileSync(data, ''),
    says: /is not a folder: choose another one with --data/,
  },
  {
    name: 'a fact beyond the end',
    spoil: () => {},
    flags: ['--at', '99999999'],
    says: /ends at fact \d+, before --at 99999999/,
  },
  {
    name: 'an epoch that the backup has',
    spoil: (source) => writeFileSync(join(source, 'runs', '000007-00000001.json'), '{}'),
    flags: ['--epoch', '7'],
    says: /--epoch 7 cannot be begun: the backup at .* has epoch 7, so choose one from 8 to 500/,
  },
  {
    name: 'a moment before the first fact',
    spoil: () => {},
    flags: ['--at', '2002-01-01'],
    says: /has no fact as early as --at: its first one is of 20\d\d-\d\d-\d\dT\S+Z$/m,
  },
];

describe('what is refused', { timeout: 120_000 }, () => {
  let folder: TemporaryFolder;
  let original: string;
  let sound: string;

  before(async () => {
    folder = await createTemporaryFolder('refusals');
    const random = new Random(7);
    const shop = await RandomShop.open(random);
    await shop.live(40);
    await shop.node.stop();
    original = shop.node.folder.path;
    sound = join(folder.path, 'sound');
    const target = new FolderTarget(sound, { makesFolder: true });
    await backUpByHand(original, {
      target,
      random: withoutTries(random),
      base: 0.5,
      hasLog: true,
      hasManifest: true,
    });
    await target.close();
  });
  after(async () => {
    await folder.remove();
    rmSync(original, { recursive: true });
  });

  const restored = async (source: string, data: string, flags: readonly string[], masterKey?: string) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const env = { PURSER_MASTER_KEY: masterKey ?? masterKeyIn(original) };
    const args = ['restore', source, '--data', data, '--json', ...flags];
    const code = await run(args, { env, stdin: new PassThrough(), stdout, stderr });
    stdout.end();
    stderr.end();
    return { code, out: await text(stdout), error: await text(stderr) };
  };

  for (const [index, { name, spoil: spoilIt, flags = [], masterKey, says }] of CASES.entries()) {
    test(name, async () => {
      const source = join(folder.path, `source-${index}`);
      const data = join(folder.path, `data-${index}`);
      cpSync(sound, source, { recursive: true });
      spoilIt(source, data, original);
      const before_ = readdirSync(folder.path);
      const { code, out, error } = await restored(source, data, flags, masterKey);
      assert.match(error, says);
      assert.equal(error.trimEnd().split('\n').length, 1, error);
      assert.deepEqual({ code, out }, { code: 1, out: '' });
      assert.deepEqual(readdirSync(folder.path), before_, 'nothing is made');
    });
  }

  test('what lies before a damaged object can be restored, as the refusal says', async () => {
    const source = join(folder.path, 'source-at');
    cpSync(sound, source, { recursive: true });
    spoil(source, 'log', -1);
    const refused = await restored(source, join(folder.path, 'data-at'), ['--epoch', '4']);
    const [line = '', at = ''] = /purser restore .* --at (\d+)$/m.exec(refused.error) ?? [];
    assert.equal(
      line,
      `purser restore ${source} --data ${join(folder.path, 'data-at')} --epoch 4 --at ${at}`,
    );
    const beyond = await restored(source, join(folder.path, 'data-at'), ['--at', String(Number(at) + 1)]);
    assert.match(beyond.error, /^error: log\/.* is damaged or cut short: .* --at \d+$/m);
    const { code, error } = await restored(source, join(folder.path, 'data-at'), ['--at', at]);
    assert.equal(code, 0, error);
    const report: string[] = [];
    const isSound = await verifyDataFolder(
      join(folder.path, 'data-at'),
      (line) => report.push(line),
      masterKeyIn(original),
    );
    assert.ok(isSound, report.join('\n'));
  });

  test('a dry run tells what would be restored, and makes nothing', async () => {
    const before_ = readdirSync(folder.path);
    const { code, out } = await restored(sound, join(folder.path, 'data-dry'), ['--dry-run']);
    assert.equal(code, 0);
    const plan = JSON.parse(out);
    assert.equal(plan.epoch, 2);
    assert.equal(plan.cleanEnd, false);
    assert.match(
      plan.unseen,
      /behind the newest manifest \(fact \d+\) and no signed head may be missing unseen/,
    );
    assert.ok(plan.chunks > 1 && plan.bytes > 0 && plan.position.seq > 1 && plan.gap.from === plan.at);
    assert.deepEqual(readdirSync(folder.path), before_);
  });

  test('a head that the shop did not sign is named and passed over, and the one before counts', async () => {
    const source = join(folder.path, 'source-heads');
    cpSync(sound, source, { recursive: true });
    const frame = await secondFrame(original);
    withHead(source, frame.position, signedHead(original, frame.position, frame.hash.toString('hex')));
    withHead(source, 999_998, signedHead(original, 1));
    withHead(source, 999_999, 'garbled');
    const dry = await restored(source, join(folder.path, 'data-heads'), ['--dry-run']);
    assert.equal(dry.code, 0, dry.error);
    const { signedHead: newest, notSigned } = JSON.parse(dry.out);
    assert.equal(newest, frame.position);
    assert.equal(notSigned, `${headName(1, 999_998)}, ${headName(1, 999_999)}`);
    const { code, error } = await restored(source, join(folder.path, 'data-heads'), []);
    assert.equal(code, 0, error);
  });

  test('an early moment is proved by the head before it, however many came since', async () => {
    const source = join(folder.path, 'source-many-heads');
    cpSync(sound, source, { recursive: true });
    withHead(source, 2, signedHead(original, 2));
    for (let position = 11; position <= 20; position += 1) {
      withHead(source, position, signedHead(original, position));
    }
    const { code, error } = await restored(source, join(folder.path, 'data-many-heads'), ['--at', '9']);
    assert.equal(code, 1);
    assert.match(error, /are not those that the shop signed at fact 2/);
  });

  test('a second restore of the same backup begins a higher epoch, when that is asked for', async () => {
    const data = join(folder.path, 'data-epoch');
    const { code, out, error } = await restored(sound, data, ['--epoch', '9']);
    assert.equal(code, 0, error);
    assert.equal(JSON.parse(out).epoch, 9);
  });

  test('into an empty folder that is there', async () => {
    const data = join(folder.path, 'data-empty');
    mkdirSync(data);
    const { code, out, error } = await restored(sound, data, []);
    assert.equal(code, 0, error);
    assert.equal(JSON.parse(out).sales, 'closed');
    assert.ok(readdirSync(data).includes('format'));
  });
});

/** No tries that failed: then the last object is the last chunk. */
function withoutTries(random: Random): Random {
  const calm = new Random(random.seed);
  calm.chance = () => false;
  return calm;
}

function emptied(source: string): void {
  rmSync(source, { recursive: true });
  mkdirSync(source);
}

function withHead(source: string, position: number, text_: string): void {
  mkdirSync(join(source, 'heads', '000001'), { recursive: true });
  writeFileSync(join(source, headName(1, position)), text_);
}

/** Of a history with another hash there, if none is given. */
function signedHead(shop: string, seq: number, hash = 'ab'.repeat(32)): string {
  const ring = KeyRing.read(shop, undefined);
  const position = { seq, hash };
  return signHead(SigningKey.fromSeed(ring.signingSeed), { shop: ring.shop, epoch: 1, position, at: 1 });
}

/** Where it ends. */
async function secondFrame(shop: string): Promise<LogHead> {
  const log = openLogReader(shop);
  try {
    const [, frame = Buffer.alloc(0)] = [...log.read(0)].map((bytes) => Buffer.from(bytes));
    return { position: extentOf(frame).last, hash: frameHash(frame) };
  } finally {
    await log.close();
  }
}

/** The file at this place of those below a folder, in the order of their names; from the end, when it is negative. */
function fileIn(source: string, folder: string, place = 0): string {
  const files = readdirSync(join(source, folder), { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return files.at(place) ?? assert.fail(`no file ${place} in ${folder}`);
}

/** One byte in the middle is another. */
function spoil(source: string, folder: string, place = 0): void {
  const file = fileIn(source, folder, place);
  const bytes = readFileSync(file);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  rmSync(file);
  writeFileSync(file, bytes);
}
