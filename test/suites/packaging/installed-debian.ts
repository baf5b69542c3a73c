/**
 * Proves the package for Debian and the single file, the files of its arguments, in a Debian that has neither Node nor
 * npm. The program needs root, debootstrap, and a mount namespace of its own, in which debian.test.ts starts it.
 *
 * Both sell, are killed, back up and verify; the package is upgraded, removed and purged, and what the shop has stays.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPurser } from '../../support/nodes/purser-process.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { DemoShop } from './demo-shop.ts';
import { ScratchDebian } from './scratch-debian.ts';

const [DEB = '', SINGLE = ''] = process.argv.slice(2);
/** Where no PATH leads. */
const SINGLE_THERE = '/opt/purser';
const DATA = '/var/lib/purser';
const CONFIG = '/etc/purser/purser.json';

const folder = await createTemporaryFolder('debian');
/** The package as a later version. */
const LATER = join(folder.path, 'later.deb');

try {
  makeLater();
  await prove();
} finally {
  await folder.remove();
}

/** Only its version is another one. */
function makeLater(): void {
  const tree = join(folder.path, 'later');
  execFileSync('dpkg-deb', ['--raw-extract', DEB, tree]);
  const control = join(tree, 'DEBIAN', 'control');
  writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, '$&+later'));
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', '-Znone', tree, LATER], { stdio: 'ignore' });
}

async function prove(): Promise<void> {
  const debian = ScratchDebian.make(join(folder.path, 'small'));
  try {
    debian.mount();
    for (const program of ['node', 'npm', 'systemctl'])
      assert.notEqual(debian.run(['sh', '-c', `command -v ${program}`]).status, 0, program);
    copyFileSync(DEB, debian.path('first.deb'));
    copyFileSync(LATER, debian.path('later.deb'));
    copyFileSync(SINGLE, debian.path(SINGLE_THERE));
    await debianPackage(debian);
    await singleFile(debian);
  } finally {
    debian.close();
  }
}

/** From its installation to its end. */
async function debianPackage(debian: ScratchDebian): Promise<void> {
  assert.match(install(debian, 'first'), /systemctl enable --now purser/);
  assert.match(debian.done(['stat', '--format=%U %a', DATA]), /^purser 700$/m);
  assert.match(debian.done(['stat', '--format=%U %a', '/etc/purser/environment']), /^root 600$/m);
  debian.done(['dpkg', '--verify', 'purser']);
  const shop = await proveShop(debian, '/usr/bin/purser', DATA);

  const settings = readFileSync(debian.path(CONFIG), 'utf8').replace('8080', '9090');
  writeFileSync(debian.path(CONFIG), settings);
  assert.match(install(debian, 'later'), /has version \d+: there is nothing to do/);
  assert.equal(readFileSync(debian.path(CONFIG), 'utf8'), settings);
  await shop.goOn();

  debian.done(['dpkg', '--remove', 'purser']);
  assert.ok(!existsSync(debian.path('usr', 'lib', 'purser')));
  assert.equal(readFileSync(debian.path(CONFIG), 'utf8'), settings);
  assert.match(debian.done(['dpkg', '--purge', 'purser']), /its data in \/var\/lib\/purser/);
  assert.ok(!existsSync(debian.path(CONFIG)));
  assert.ok(existsSync(debian.path('etc', 'purser', 'environment')));
  assert.ok(existsSync(debian.path(DATA, 'master-key')));
  install(debian, 'first');
  await shop.goOn();
  debian.done(['dpkg', '--purge', 'purser']);
}

function install(debian: ScratchDebian, name: string): string {
  return debian.done(['dpkg', '--install', `/${name}.deb`], { DEBIAN_FRONTEND: 'noninteractive' });
}

/** As the user of the package, whom it leaves behind. */
async function singleFile(debian: ScratchDebian): Promise<void> {
  debian.done(['install', '-d', '-o', 'purser', '-g', 'purser', '/srv/shop']);
  await proveShop(debian, SINGLE_THERE, '/srv/shop/data');
}

async function proveShop(debian: ScratchDebian, program: string, dataDir: string): Promise<DemoShop> {
  const binary = debian.starter(program, 'purser');
  const backup = `${dataDir}.backup`;
  debian.done(['install', '-d', '-o', 'purser', '-g', 'purser', backup]);
  const shop = new DemoShop({
    dataDir,
    backup: `${backup}/shop`,
    start: (flags) => startPurser({ dataDir, binary, flags }),
    run: (args) => spawnSync(binary, args, { encoding: 'utf8' }),
  });
  await shop.prove();
  return shop;
}
