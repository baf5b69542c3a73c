/**
 * `npm run release` over a repository of the test's own, whose builds are stand-ins: what it refuses, changes and makes, and
 * that it leaves nothing behind when it fails. A single file is a script here that unpacks what the real one would.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const CHANGELOG = `# Changelog

## Unreleased

- A thing.

## 0.8.0 — 2026-01-05

- An older thing.
`;
const SINGLE = `purser-${process.platform}-${process.arch}`;
const SINGLE_FILE = `#!/bin/sh
place="$XDG_CACHE_HOME/purser/abc"
mkdir -p "$place/purser/dist/program" "$place/node_modules/@lmdb/lmdb-linux-x64"
echo '---- inside 1.2.3: MIT' > "$place/purser/dist/program/THIRD-PARTY-LICENCES.txt"
echo 'of Node' > "$place/purser/NODE-LICENCE.txt"
echo '{"name":"@lmdb/lmdb-linux-x64","version":"2.0.0","license":"MIT"}' > "$place/node_modules/@lmdb/lmdb-linux-x64/package.json"
echo '{"checks":[{"name":"node","state":"ok","advice":"Node 22.1.0"}]}'
exit 1
`;
/** Called as the real ones are: `build:single --into FOLDER`. */
const BUILD = `set -e
mkdir -p "$3"
case "$1" in
single) install -m 755 single.sh "$3/${SINGLE}" ;;
deb) echo $SOURCE_DATE_EPOCH > "$3/purser_1.0.0_amd64.deb" ;;
client) echo > "$3/purser-client-1.0.0.tgz" ;;
esac
`;
const FILES: Readonly<Record<string, string>> = {
  'CHANGELOG.md': CHANGELOG,
  'src/version.ts': "export const PURSER_VERSION = '0.9.0';\n",
  'docs/guide.md':
    'Install purser-0.9.0.tgz or purser_0.9.0_amd64.deb, not purser-0.9.0-rc.1; other 0.9.0.\n',
  'docs/decisions/0001-first.md': 'Then it was purser-0.9.0.\n',
  'deploy/compose.yaml': 'image: purser:0.9.0\n',
  '.gitignore': 'release/\n*.log\n',
  'build.sh': BUILD,
  'single.sh': SINGLE_FILE,
};

function manifest(build: string): string {
  const scripts = {
    'build:release': build,
    'build:single': 'sh build.sh single',
    'build:deb': 'sh build.sh deb',
    'build:client': 'sh build.sh client',
  };
  const devDependencies = { inside: '1.2.3', outside: '3.0.0', '@lmdb/lmdb-linux-x64': '2.0.0' };
  return `${JSON.stringify({ name: 'purser', version: '0.9.0', scripts, files: ['docs'], devDependencies }, null, 2)}\n`;
}

function lockFile(): string {
  const integrity = `sha512-${Buffer.alloc(64).toString('base64')}`;
  const locked = (version: string) => ({ version, integrity, dev: true, license: 'MIT' });
  const packages = {
    '': JSON.parse(manifest('')),
    'node_modules/@lmdb/lmdb-linux-x64': locked('2.0.0'),
    'node_modules/inside': locked('1.2.3'),
    'node_modules/outside': locked('3.0.0'),
  };
  return `${JSON.stringify({ name: 'purser', version: '0.9.0', lockfileVersion: 3, packages }, null, 2)}\n`;
}

let folder: TemporaryFolder;
let root: string;

function git(...args: string[]): string {
  const own = ['-c', 'user.name=A tester', '-c', 'user.email=tester@example.com'];
  return execFileSync('git', [...own, ...args], { cwd: root, encoding: 'utf8' }).trim();
}

function read(name: string): string {
  return readFileSync(join(root, name), 'utf8');
}

function release(...args: string[]) {
  const env = { ...process.env, npm_config_cache: join(folder.path, 'cache') };
  return spawnSync(process.execPath, [join(root, 'packaging', 'make-release.mjs'), ...args], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
}

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

function commit(files: Readonly<Record<string, string>>): void {
  write(files);
  git('add', '--all');
  git('commit', '--quiet', '--message', 'As it is');
}

describe('npm run release', { timeout: 300_000 }, () => {
  before(async () => {
    folder = await createTemporaryFolder('release');
  });

  after(() => folder.remove());

  let count = 0;
  beforeEach(() => {
    count += 1;
    root = join(folder.path, String(count));
    cpSync(join(repositoryRoot(), 'packaging'), join(root, 'packaging'), { recursive: true });
    git('init', '--quiet');
    commit({
      ...FILES,
      'package.json': manifest('node packaging/build-release.mjs'),
      'package-lock.json': lockFile(),
    });
  });

  const refused: readonly (readonly [what: string, version: string, prepare: () => void, told: RegExp])[] = [
    ['a version that has a tag', '1.0.0', () => git('tag', 'v1.0.0'), /1\.0\.0 was released already/],
    [
      'a file that git does not know',
      '1.0.0',
      () => write({ 'docs/a.log': 'x' }),
      /git does not know docs\/a\.log/,
    ],
    ['an older version', '0.8.9', () => {}, /0\.8\.9 is older than 0\.9\.0/],
    [
      'a checkout with changes',
      '1.0.0',
      () => write({ 'docs/guide.md': 'Changed.' }),
      /not committed: commit them/,
    ],
    [
      'a release without news',
      '1.0.0',
      () => commit({ 'CHANGELOG.md': CHANGELOG.replace('- A thing.', 'Nothing yet.') }),
      /nothing is new/,
    ],
  ];
  for (const [what, version, prepare, told] of refused) {
    it(`refuses ${what}, and changes nothing`, () => {
      prepare();
      const before = git('status', '--porcelain');
      const { status, stderr } = release(version);
      assert.equal(status, 1);
      assert.match(stderr, told);
      assert.doesNotMatch(stderr, /^ +at /m);
      assert.equal(git('status', '--porcelain'), before);
    });
  }

  it('sets the version everywhere, gives the news their heading, and makes the release', () => {
    const { status, stdout, stderr } = release('1.0.0');
    assert.equal(status, 0, `${stdout}${stderr}`);
    const [, date = ''] = /^## 1\.0\.0 — (\d{4}-\d\d-\d\d)$/m.exec(read('CHANGELOG.md')) ?? [];
    assert.equal(
      read('CHANGELOG.md'),
      CHANGELOG.replace('- A thing.', `Nothing yet.\n\n## 1.0.0 — ${date}\n\n- A thing.`),
    );
    assert.equal(JSON.parse(read('package.json')).version, '1.0.0');
    const lock = JSON.parse(read('package-lock.json'));
    assert.deepEqual([lock.version, lock.packages[''].version], ['1.0.0', '1.0.0']);
    assert.match(read('src/version.ts'), /'1\.0\.0'/);
    assert.equal(
      read('docs/guide.md'),
      'Install purser-1.0.0.tgz or purser_1.0.0_amd64.deb, not purser-0.9.0-rc.1; other 0.9.0.\n',
    );
    assert.equal(read('docs/decisions/0001-first.md'), FILES['docs/decisions/0001-first.md']);
    assert.equal(read('deploy/compose.yaml'), 'image: purser:1.0.0\n');

    const made = join(root, 'release');
    assert.deepEqual(
      readdirSync(made).sort(),
      [
        'SHA256SUMS',
        'purser-1.0.0-licences.txt',
        'purser-1.0.0.cdx.json',
        'purser-1.0.0.tgz',
        'purser-client-1.0.0.tgz',
        SINGLE,
        'purser_1.0.0_amd64.deb',
      ].sort(),
    );
    const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: made, encoding: 'utf8' });
    assert.equal(checked.match(/: OK$/gm)?.length, 6);
    assert.equal(Number(read('release/purser_1.0.0_amd64.deb')), Date.parse(date) / 1_000);
    assert.match(read('release/purser-1.0.0-licences.txt'), /inside 1\.2\.3: MIT.*lmdb.*Node\.js 22\.1\.0/s);

    const bill = JSON.parse(read('release/purser-1.0.0.cdx.json'));
    assert.deepEqual(
      bill.components.map((component: { 'bom-ref': string }) => component['bom-ref']),
      ['@lmdb/lmdb-linux-x64@2.0.0', 'inside@1.2.3', 'node@22.1.0'],
    );
    assert.equal(bill.metadata.component['bom-ref'], 'purser@1.0.0');
    assert.equal(bill.metadata.timestamp, `${date}T00:00:00.000Z`);

    assert.equal(git('log', '--oneline').split('\n').length, 1, 'it commits nothing');
    git('commit', '--all', '--quiet', '--message', 'Release 1.0.0');
    const sums = read('release/SHA256SUMS');
    execFileSync('npm', ['run', 'build:release'], { cwd: root, stdio: 'pipe' });
    assert.equal(read('release/SHA256SUMS'), sums, 'the same bytes again');
  });

  it('puts every file back when something cannot be made, and leaves the release before as it is', () => {
    commit({ 'build.sh': BUILD.replace('client) echo', 'client) exit 1') });
    write({ 'release/purser-0.8.0.tgz': 'of before' });
    const { status, stderr } = release('1.0.0');
    assert.equal(status, 1);
    assert.match(stderr, /error: the release could not be made, and every file is as before\n$/);
    assert.equal(git('status', '--porcelain', '--ignored'), '!! release/');
    assert.deepEqual(readdirSync(join(root, 'release')), ['purser-0.8.0.tgz']);
  });

  it('does so when it is broken off, and ends what it has begun', async () => {
    commit({ 'build.sh': BUILD.replace('deb) ', 'deb) echo $$ > begun.log; exec sleep 1000; ') });
    const running = spawn(process.execPath, [join(root, 'packaging', 'make-release.mjs'), '1.0.0'], {
      cwd: root,
      env: { ...process.env, npm_config_cache: join(folder.path, 'cache') },
      stdio: 'ignore',
    });
    const ended = once(running, 'exit');
    const begun = join(root, 'begun.log');
    await eventually('the second build has begun', () => existsSync(begun) && read('begun.log') !== '');
    assert.notEqual(git('status', '--porcelain'), '');
    running.kill('SIGTERM');
    assert.deepEqual(await ended, [1, null]);
    assert.equal(git('status', '--porcelain'), '');
    assert.ok(!existsSync(join(root, 'release')));
    const builder = Number(read('begun.log'));
    await eventually('it has ended', () => !existsSync(`/proc/${builder}`));
    await eventually('nothing is left', () => !existsSync(join(root, 'release.unfinished')));
  });

  it('refuses to name what is inside of a file that has something else than the lock file', () => {
    commit({ 'single.sh': SINGLE_FILE.replace('inside 1.2.3', 'stranger 6.6.6') });
    const { status, stderr } = release('1.0.0');
    assert.equal(status, 1);
    assert.match(stderr, /the lock file does not have what is inside: stranger@6\.6\.6/);
    assert.equal(git('status', '--porcelain'), '');
  });
});
