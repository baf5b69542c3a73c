/**
 * The house holds: who may import whom, which files exist that ARCHITECTURE.md names, who runs the
 * contract's cases, and one version number.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { PURSER_VERSION } from '../src/version.ts';
import { CLUSTER_NODE, LAW, SHARED, WITHOUT_SHARED } from './architecture-law.ts';
import { OWED, SUITES, suiteFolder, suiteNames } from './runner/suites.ts';
import { repositoryRoot } from './support/repository-root.ts';

const REPOSITORY_ROOT = repositoryRoot();
const SOURCE = join(REPOSITORY_ROOT, 'src');
/** The length of the longest file. */
const MOST_LINES = 300;

/** Files of `src` itself that all but the command line may use: they are no wiring. */
const PLAIN_FILES = new Set(['version.ts']);

/** Imports nothing, and tells of every error what the server and the client answer with and do. */
const ERROR_TABLE = join(SOURCE, 'engine', 'api-errors.ts');

const IMPORT = /^(?:import|export)\b[^;]*?\bfrom '([^']+)'|\bimport\('([^']+)'\)/gm;
/** Neither types nor what is imported on demand. */
const LOADED_AT_ONCE = /^(?:import|export)\b(?! type\b)[^;]*?\bfrom '([^']+)'/gm;

function sourceFiles(): string[] {
  return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
}

function folderOf(file: string): string {
  const name = relative(SOURCE, file);
  const [first = '', ...rest] = name.split('/');
  if (rest.length === 0) return '.';
  return name.startsWith(`${CLUSTER_NODE}/`) ? CLUSTER_NODE : first;
}

test('every import keeps the law', () => {
  for (const name of sourceFiles()) {
    const file = join(SOURCE, name);
    const law = LAW[folderOf(file)];
    assert.ok(law, `${name} lies in a folder that has no law`);
    for (const [statement, named, loaded] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const specifier = named ?? loaded ?? '';
      if (!specifier.startsWith('.')) {
        assert.match(specifier, law.packages, `${name} imports ${specifier}`);
        continue;
      }
      const target = resolve(dirname(file), specifier);
      const folder = folderOf(target);
      assert.notEqual(file, ERROR_TABLE, `${name} imports ${specifier}: clients would have to load it`);
      if (folderOf(file) === 'client' && target === ERROR_TABLE) continue;
      if (folder === SHARED && !WITHOUT_SHARED.has(folderOf(file))) continue;
      const isTypeOnly = /^import type\b/.test(statement) && law.typesOf?.includes(folder) === true;
      assert.ok(isTypeOnly || law.folders.includes(folder), `${name} imports ${specifier}`);
      if (folder === '.' && folderOf(file) !== '.' && folderOf(file) !== 'cli') {
        assert.ok(PLAIN_FILES.has(relative(SOURCE, target)), `${name} imports ${specifier}`);
      }
    }
  }
});

test('no file is part of a circle of imports, types included', () => {
  /** On the way here, and wholly followed. */
  const state = new Map<string, 'open' | 'done'>();
  const follow = (file: string, way: readonly string[]): void => {
    if (state.get(file) === 'done') return;
    const names = [...way, relative(REPOSITORY_ROOT, file)];
    assert.notEqual(
      state.get(file),
      'open',
      `a circle: ${names.slice(names.indexOf(names.at(-1) ?? '')).join(' → ')}`,
    );
    state.set(file, 'open');
    for (const [, named, loaded] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const specifier = named ?? loaded ?? '';
      if (specifier.startsWith('.')) follow(resolve(dirname(file), specifier), names);
    }
    state.set(file, 'done');
  };
  for (const folder of ['src', 'bench', 'test', 'console']) {
    const files = readdirSync(join(REPOSITORY_ROOT, folder), { recursive: true, encoding: 'utf8' });
    for (const name of files) if (/\.tsx?$/.test(name)) follow(join(REPOSITORY_ROOT, folder, name), []);
  }
});

test('the console is a room of its own: it imports nothing of the server, and nobody imports it', () => {
  const room = join(REPOSITORY_ROOT, 'console');
  const files = readdirSync(room, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((name) => /\.tsx?$/.test(name));
  assert.ok(sources.length > 30, 'it has its screens');
  for (const name of sources) {
    const text = readFileSync(join(room, name), 'utf8');
    for (const [, named, loaded] of text.matchAll(IMPORT)) {
      const specifier = named ?? loaded ?? '';
      if (!specifier.startsWith('.')) assert.match(specifier, /^(preact(\/hooks)?|@preact\/signals)$/, name);
      else assert.ok(!relative(room, resolve(dirname(join(room, name)), specifier)).startsWith('..'), name);
    }
  }
  for (const folder of ['src', 'bench', 'examples', 'test']) {
    for (const name of readdirSync(join(REPOSITORY_ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const file = join(REPOSITORY_ROOT, folder, name);
      for (const [, named, loaded] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
        const target = relative(REPOSITORY_ROOT, resolve(dirname(file), named ?? loaded ?? ''));
        assert.ok(!/^console\//.test(target), `${folder}/${name} imports ${target}`);
      }
    }
  }
});

test('the bench is a workspace of its own: nobody imports it', () => {
  for (const folder of ['src', 'console', 'examples', 'packaging', 'test']) {
    for (const name of readdirSync(join(REPOSITORY_ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.(tsx?|mjs)$/.test(name)) continue;
      const file = join(REPOSITORY_ROOT, folder, name);
      for (const [, named, loaded] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
        const target = relative(REPOSITORY_ROOT, resolve(dirname(file), named ?? loaded ?? ''));
        assert.ok(!/^bench\//.test(target), `${folder}/${name} imports ${target}`);
      }
    }
  }
});

test('the console makes no markup of text, and has no style or script in its elements', () => {
  const room = join(REPOSITORY_ROOT, 'console');
  for (const name of readdirSync(room, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(tsx?|html)$/.test(name)) continue;
    assert.doesNotMatch(
      readFileSync(join(room, name), 'utf8'),
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser|\beval\(|new Function|javascript:|style="|\son\w+="/,
      name,
    );
  }
});

test('only the log itself knows where its frames lie: all others have its port', () => {
  const room = join(SOURCE, 'persistence', 'journal');
  for (const name of sourceFiles()) {
    const file = join(SOURCE, name);
    if (dirname(file) === room) continue;
    for (const [, named, loaded] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const target = resolve(dirname(file), named ?? loaded ?? '');
      const isInside =
        dirname(target) === room &&
        /^(lmdb-|packed-|segment-|folder-log-reader|journal-segments|open-segments)/.test(basename(target));
      assert.ok(!isInside, `${name} imports ${basename(target)}: use frame-log.ts and open-log.ts`);
    }
  }
});

test('persistence/disk is the ground floor: it imports nothing of persistence but itself', () => {
  const room = join(SOURCE, 'persistence', 'disk');
  for (const name of readdirSync(room)) {
    for (const [, named, loaded] of readFileSync(join(room, name), 'utf8').matchAll(IMPORT)) {
      const specifier = named ?? loaded ?? '';
      assert.match(specifier, /^(\.\/|\.\.\/\.\.\/shared\/|node:)/, `${name} imports ${specifier}`);
    }
  }
});

test('a start waits for no HTTP client: what sends requests is in threads, or loaded when it is needed', () => {
  const loaded = new Set(['main.ts', 'cli/program.ts'].map((name) => join(SOURCE, name)));
  for (const file of loaded) {
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(LOADED_AT_ONCE)) {
      assert.notEqual(specifier, 'undici', `${relative(SOURCE, file)} is loaded by every start`);
      if (specifier.startsWith('.')) loaded.add(resolve(dirname(file), specifier));
    }
  }
  assert.ok(loaded.has(join(SOURCE, 'engine', 'loop', 'engine.ts')), 'imports are followed');
});

test('the engine has no clock, no randomness and no globals of node', () => {
  for (const name of sourceFiles().filter((file) => file.startsWith('engine/'))) {
    const code = readFileSync(join(SOURCE, name), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    assert.doesNotMatch(
      code,
      /\b(Date|Math\.random|process|Buffer|setTimeout|setImmediate|performance)\b/,
      name,
    );
  }
});

test('no header goes unchecked but the id that every answer is given', () => {
  const unchecked = sourceFiles().filter((name) =>
    /(?<!function )\bownHeader\(/.test(readFileSync(join(SOURCE, name), 'utf8')),
  );
  assert.deepEqual(unchecked, ['http/reply.ts']);
});

/** Pages for those who change the program; their paths are from the root of the repository. */
const INNER_PAGES = [
  'ARCHITECTURE.md',
  'docs/data-folder.md',
  'docs/internals.md',
  'console/README.md',
  'bench/README.md',
  'packaging/README.md',
];

test('every path that a page for developers names exists', () => {
  for (const page of INNER_PAGES) {
    const text = readFileSync(join(REPOSITORY_ROOT, page), 'utf8');
    const paths = Array.from(
      text.matchAll(/(?<![\w/.])((?:src|test|bench|bin|console|packaging|docs|\.ci)\/[\w./-]*[\w/])/g),
      (match) => match[1] ?? '',
    );
    assert.ok(paths.length > 5, page);
    for (const path of paths) assert.ok(existsSync(join(REPOSITORY_ROOT, path)), `${page} names ${path}`);
  }
});

test('ARCHITECTURE.md can be read in a quarter of an hour, and says where thirty changes belong', () => {
  const text = readFileSync(join(REPOSITORY_ROOT, 'ARCHITECTURE.md'), 'utf8');
  assert.ok(text.length < 9_000, `it has ${text.length} characters`);
  const [, table = ''] = text.split('## I want to change');
  assert.ok(table.split('\n').filter((line) => /^\| .* \| `/.test(line)).length >= 30);
  const [, rooms = ''] = text.split('## Rooms');
  for (const entry of readdirSync(SOURCE, { withFileTypes: true })) {
    if (entry.isDirectory()) assert.match(rooms, new RegExp(`\\b${entry.name}\\b`), entry.name);
  }
});

/** Files of source; their names are from the root. */
const WRITTEN = ['src', 'console', 'bench', 'test', 'examples', 'packaging'].flatMap((room) =>
  readdirSync(join(REPOSITORY_ROOT, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|mjs)$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(room, name)),
);
/** Longer ones: types that are made of the operators' OpenAPI document, and a measurement that goes with what it tries. */
const LONGER = new Set(['console/api/api-types.ts']);

test('no folder has more than 25 files of source side by side, and the root of src has two', () => {
  const counts = new Map<string, number>();
  for (const name of WRITTEN) counts.set(dirname(name), (counts.get(dirname(name)) ?? 0) + 1);
  for (const [folder, count] of counts) assert.ok(count <= 25, `${folder} has ${count} files`);
  assert.equal(counts.get('src'), 2);
});

test('no file is too long to be read at once', () => {
  const long = WRITTEN.filter(
    (name) =>
      !LONGER.has(name) &&
      readFileSync(join(REPOSITORY_ROOT, name), 'utf8').split('\n').length - 1 > MOST_LINES,
  );
  assert.deepEqual(long, [], 'take out what is a thing of its own, and give it a name');
});

test('every file of cases is run by one test file', () => {
  const folder = join(REPOSITORY_ROOT, 'test');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const runners = files.filter((name) => name.endsWith('.test.ts'));
  const cases = files.filter((name) => name.endsWith('.cases.ts'));
  assert.ok(cases.length > 10, 'the contract has them');
  for (const file of cases) {
    const by = runners.filter((runner) =>
      readFileSync(join(folder, runner), 'utf8').includes(`from './${relative(dirname(runner), file)}'`),
    );
    assert.equal(by.length, 1, `${file} is run by ${by.join(', ') || 'nobody'}`);
  }
});

test('every folder of src and every suite has its place in the table of what a change owes', () => {
  const folders = readdirSync(SOURCE, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders)
    assert.ok(`src/${name}/` in OWED, `src/${name}/ has no row in test/runner/suites.ts`);
  for (const path of Object.keys(OWED))
    assert.ok(existsSync(join(REPOSITORY_ROOT, path)), `${path} does not exist`);
  const names = suiteNames().filter((name) => suiteFolder(name) === `test/suites/${name}/`);
  assert.deepEqual(readdirSync(join(REPOSITORY_ROOT, 'test', 'suites')).sort(), names.sort());
});

test('CONTRIBUTING.md says of each suite what it proves', () => {
  const text = readFileSync(join(REPOSITORY_ROOT, 'CONTRIBUTING.md'), 'utf8');
  for (const name of suiteNames()) {
    const row = `| \`npm run test:${name}\` | ${SUITES[name].proves} |`;
    assert.ok(text.includes(row), row);
  }
});

test('the program and the package have one version', () => {
  const manifest = JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  assert.equal(PURSER_VERSION, manifest.version);
});
