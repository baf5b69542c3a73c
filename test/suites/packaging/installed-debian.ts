/**
 * Proves the package for Debian and the single file, the files of its arguments, in a Debian that has neither Node nor npm.
 * It needs root, debootstrap, and a mount namespace of its own, in which debian.test.ts starts it.
 *
 * Without systemd, as in a container: both sell, are killed, back up and verify; the package is upgraded, removed and
 * purged, and what the shop has stays. Under a systemd: the unit starts, sells and comes back; an upgrade starts what ran,
 * and nothing else.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { startPurser } from '../../support/purser-process.ts';
import { ScratchDebian } from '../../support/scratch-debian.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { DemoShop } from './demo-shop.ts';

const [DEB = '', SINGLE = ''] = process.argv.slice(2);
/** Where no PATH leads. */
const SINGLE_THERE = '/opt/purser';
const DATA = '/var/lib/purser';
const CONFIG = '/etc/purser/purser.json';

const folder = await createTemporaryFolder('debian');
/** The same package, as a later version. */
const LATER = join(folder.path, 'later.deb');

try {
  makeLater();
  await withoutSystemd();
  await withSystemd();
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

async function withoutSystemd(): Promise<void> {
  const debian = ScratchDebian.make(join(folder.path, 'small'));
  try {
    debian.mount();
    for (const program of ['node', 'npm', 'systemctl'])
      assert.notEqual(debian.run(['sh', '-c', `command -v ${program}`]).status, 0, program);
    bring(debian);
    await debianPackage(debian);
    await singleFile(debian);
  } finally {
    await debian.close();
  }
}

function bring(debian: ScratchDebian): void {
  copyFileSync(DEB, debian.path('first.deb'));
  copyFileSync(LATER, debian.path('later.deb'));
  copyFileSync(SINGLE, debian.path(SINGLE_THERE));
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

async function withSystemd(): Promise<void> {
  const debian = ScratchDebian.make(join(folder.path, 'large'), ['systemd', 'systemd-sysv']);
  try {
    bring(debian);
    await debian.boot();
    await service(debian);
  } finally {
    await debian.close();
  }
}

async function service(debian: ScratchDebian): Promise<void> {
  install(debian, 'first');
  assert.equal(stateOf(debian), 'inactive');
  const url = await settle(debian);
  debian.done(['systemctl', 'enable', '--now', 'purser']);
  const shop = new DemoShop({
    dataDir: DATA,
    backup: '',
    start: () => assert.fail('systemd starts it'),
    run: (args) => debian.run(['purser', ...args]),
  });
  await shop.sell(url, debian.done(['journalctl', '--unit=purser', '--output=cat']));
  const first = processOf(debian);
  debian.done(['systemctl', 'kill', '--signal=KILL', 'purser']);
  await eventually('the node is back', () => stateOf(debian) === 'active' && processOf(debian) !== first);
  await shop.hasOrders(url);
  await shop.sell(url, '');

  const second = processOf(debian);
  install(debian, 'later');
  assert.equal(stateOf(debian), 'active');
  assert.notEqual(processOf(debian), second);
  await shop.hasOrders(url);
  debian.done(['systemctl', 'stop', 'purser']);
  install(debian, 'later');
  assert.equal(stateOf(debian), 'inactive');
  debian.done(['dpkg', '--purge', 'purser']);
  assert.notEqual(stateOf(debian), 'active');
  assert.ok(!existsSync(debian.path('etc/systemd/system/multi-user.target.wants/purser.service')));
  assert.equal(statSync(debian.path(DATA)).mode & 0o777, 0o700);
  install(debian, 'first');
  debian.done(['runuser', '-u', 'purser', '--', 'purser', 'verify', '--data', DATA]);
  debian.done(['dpkg', '--purge', 'purser']);
}

/** Ports that nobody on the machine has, and the demo. Returns the address for buyers. */
async function settle(debian: ScratchDebian): Promise<string> {
  const [port, operatorPort] = [await freePort(), await freePort()];
  const settings = {
    ...JSON.parse(readFileSync(debian.path(CONFIG), 'utf8')),
    port,
    'operator-port': operatorPort,
  };
  writeFileSync(debian.path(CONFIG), JSON.stringify({ ...settings, demo: true }));
  return `http://127.0.0.1:${port}/api/v1/buyer`;
}

function stateOf(debian: ScratchDebian): string {
  return debian.run(['systemctl', 'is-active', 'purser']).stdout.trim();
}

function processOf(debian: ScratchDebian): string {
  return debian.done(['systemctl', 'show', '--property=MainPID', '--value', 'purser']).trim();
}
