/** Where the single file puts its program: whole, owned, elsewhere when it must, and never wrong. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { repositoryRoot } from '../../support/repository-root.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

interface Packed {
  readonly hash: string;
  readonly files: readonly { readonly name: string; readonly path: string; readonly sha256: string }[];
  readonly places: readonly string[];
  bytesOf(name: string): Uint8Array;
  load(folder: string): void;
}

interface Unpacking {
  unpack(packed: Packed): string;
}

const { unpack }: Unpacking = createRequire(import.meta.url)(
  join(repositoryRoot(), 'packaging', 'single', 'unpacking.cjs'),
);

const TEXTS: Readonly<Record<string, string>> = { 'bin/a.cjs': 'first', 'deep/er/b.js': 'second' };

function packed(places: readonly string[], load: (folder: string) => void = () => undefined): Packed {
  return {
    hash: 'abc',
    files: Object.entries(TEXTS).map(([path, text]) => {
      return { name: path, path, sha256: createHash('sha256').update(text).digest('hex') };
    }),
    places,
    bytesOf: (name) => Buffer.from(TEXTS[name] ?? assert.fail(name)),
    load,
  };
}

function assertWhole(folder: string): void {
  for (const [path, text] of Object.entries(TEXTS))
    assert.equal(readFileSync(join(folder, path), 'utf8'), text);
}

async function scratch(context: TestContext): Promise<string> {
  const folder = await createTemporaryFolder('unpacking');
  context.after(() => folder.remove());
  return folder.path;
}

test('it is unpacked once, into a folder of its hash, and what was altered, cut off or removed anew', async (context) => {
  const place = join(await scratch(context), '.cache', 'purser');
  const folder = unpack(packed([place]));
  assertWhole(folder);
  const program = join(folder, 'bin', 'a.cjs');
  const { ctimeMs } = statSync(program);
  assert.equal(unpack(packed([place])), folder);
  assert.equal(statSync(program).ctimeMs, ctimeMs);
  for (const change of [
    () => writeFileSync(program, 'other'),
    () => writeFileSync(program, ''),
    () => rmSync(join(folder, 'deep'), { recursive: true }),
  ]) {
    change();
    assertWhole(unpack(packed([place])));
    assert.deepEqual(readdirSync(place), ['abc']);
  }
});

test('a place that others can write to, that is a link, or that is not there is not used', async (context) => {
  const root = await scratch(context);
  const open = join(root, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  const linked = join(root, 'linked');
  symlinkSync(open, linked);
  const places = [open, linked, join(root, 'no', 'such', 'folder'), '/proc/1/cache/purser'];
  assert.throws(
    () => unpack(packed(places)),
    (error: Error) => {
      assert.match(error.message, /others can write to it.*it is no folder.*ENOENT.*XDG_CACHE_HOME.*noexec/);
      return true;
    },
  );
  const good = join(root, 'good');
  assert.equal(unpack(packed([...places, good])), join(good, 'abc'));
  assert.deepEqual(readdirSync(open), []);
});

test('where binaries can not be loaded, the next place is tried, and the reason is told', async (context) => {
  const root = await scratch(context);
  const refuses = (folder: string) => {
    if (folder.includes('noexec'))
      throw new Error('/x.node: failed to map segment from shared object: Operation not permitted\nmore');
  };
  const places = [join(root, 'noexec'), join(root, 'other')];
  assert.equal(unpack(packed(places, refuses)), join(root, 'other', 'abc'));
  assert.throws(() => unpack(packed(places.slice(0, 1), refuses)), /no program can be loaded from there/);
});
