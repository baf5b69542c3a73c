/** The unit that `purser install-service` makes: as systemd judges it, what is in it, and where it is put. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { unitText } from '../../src/cli/service/unit.ts';
import { purser, temporaryFolder } from './fake-operator.ts';

/** It is there, and in no home. */
const PROGRAM = '/bin/true';
const MOST_EXPOSED = 2;

async function printed(...flags: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await purser([
    'install-service',
    '--print',
    '--exec',
    PROGRAM,
    ...flags,
  ]);
  assert.equal(exitCode, 0, stderr);
  assert.equal(stderr, '');
  return stdout;
}

async function refusal(...flags: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await purser(['install-service', '--exec', PROGRAM, ...flags]);
  assert.notEqual(exitCode, 0);
  assert.equal(stdout, '');
  return stderr;
}

function linesOf(unit: string, key: string): string[] {
  return [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

const UNITS: readonly [what: string, flags: readonly string[]][] = [
  ['a node', []],
  ['a node of a cluster', ['--log', 'postgres://p@a,b/shop', '--node', 'a', '--url', 'https://a.example']],
  [
    'a node elsewhere',
    ['--data', '/srv/my shop', '--backup', '/mnt/100%/shop', '--access-log', '/var/log/shop/access.log'],
  ],
];

function analyze(context: TestContext, unit: string, ...args: string[]) {
  const file = join(temporaryFolder(context), 'purser.service');
  writeFileSync(file, unit);
  return spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' });
}

describe('the unit', () => {
  for (const [what, flags] of UNITS) {
    it(`of ${what} is clean and hardened, as systemd finds`, async (context) => {
      if (spawnSync('systemd-analyze', ['--version']).error !== undefined)
        return context.skip('there is no systemd');
      const unit = await printed(...flags);
      const verified = analyze(context, unit, 'verify');
      assert.equal(verified.status, 0, verified.stderr);
      assert.equal(verified.stderr, '');
      const { stdout } = analyze(context, unit, 'security', '--offline=true', '--no-pager');
      const [, exposed] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
      assert.ok(Number(exposed) < MOST_EXPOSED, stdout);
    });
  }

  it('starts the program with the flags that were given, and no others', async () => {
    const unit = await printed(
      '--port',
      '9000',
      '--webhook-retries',
      '1m,5m',
      '--demo',
      '--trust-proxy',
      '10.0.0.1',
    );
    assert.deepEqual(linesOf(unit, 'ExecStart'), [
      `${PROGRAM} serve --data /var/lib/purser --port 9000 --demo --webhook-retries 1m,5m --trust-proxy 10.0.0.1`.replace(
        /( --webhook-retries \S+)( --trust-proxy \S+)/,
        '$2$1',
      ),
    ]);
    assert.deepEqual(linesOf(unit, 'StateDirectory'), ['purser']);
    assert.deepEqual(linesOf(unit, 'User'), ['purser']);
    assert.deepEqual(linesOf(unit, 'AssertPathExists'), [PROGRAM]);
  });

  it('takes paths whole, and keeps what means something to systemd apart', async () => {
    const unit = await printed('--data', '/srv/my $shop', '--backup', '/mnt/100%/shop');
    const [command] = linesOf(unit, 'ExecStart');
    assert.equal(command, `${PROGRAM} serve --data "/srv/my $$shop" --backup /mnt/100%%/shop`);
    assert.deepEqual(linesOf(unit, 'ReadWritePaths'), ['"/srv/my $shop"', '-/mnt/100%%']);
  });

  it('lets systemd make the folders of states and logs', async () => {
    const unit = await printed(
      '--backup',
      '/var/lib/backup/shop',
      '--access-log',
      '/var/log/purser/access.log',
    );
    assert.deepEqual(linesOf(unit, 'StateDirectory'), ['purser backup/shop']);
    assert.deepEqual(linesOf(unit, 'LogsDirectory'), ['purser']);
    assert.deepEqual(linesOf(unit, 'ReadWritePaths'), []);
  });

  it('waits for suppliers and for the disk when it stops the node', async () => {
    const seconds = async (...flags: string[]) =>
      Number.parseInt(linesOf(await printed(...flags), 'TimeoutStopSec')[0] ?? '', 10);
    assert.ok((await seconds()) >= 15 + 2 + 60);
    assert.equal(await seconds('--supplier-timeout', '45s'), (await seconds()) + 30);
  });

  it('gives a port below 1024 the right that it needs, and others none', async () => {
    assert.deepEqual(linesOf(await printed(), 'CapabilityBoundingSet'), ['']);
    const low = await printed('--port', '80');
    assert.deepEqual(linesOf(low, 'CapabilityBoundingSet'), ['CAP_NET_BIND_SERVICE']);
    assert.deepEqual(linesOf(low, 'PrivateUsers'), []);
  });

  it('gives the single file a folder to unpack itself into, which is not the data folder', () => {
    const settings = {
      user: 'purser',
      program: [PROGRAM],
      args: ['serve', '--data', '/var/lib/purser'],
      dataDir: '/var/lib/purser',
      writable: [],
      environmentFile: '/etc/purser/environment',
      stopSeconds: 100,
      hasLowPort: false,
      isInCluster: false,
    };
    const unit = unitText({ ...settings, unpacks: true });
    assert.deepEqual(linesOf(unit, 'CacheDirectory'), ['purser']);
    assert.deepEqual(linesOf(unit, 'Environment'), ['XDG_CACHE_HOME=/var/cache/purser']);
    assert.deepEqual(linesOf(unitText({ ...settings, unpacks: false }), 'CacheDirectory'), []);
  });

  it('goes by the configuration file of the system that it is for', async (context) => {
    const root = temporaryFolder(context);
    writeFileSync(join(root, 'purser.json'), '{"port": 80, "access-log": "/var/log/shop/access.log"}');
    const unit = await printed('--root', root, '--config', '/purser.json');
    assert.deepEqual(linesOf(unit, 'ExecStart'), [
      `${PROGRAM} serve --config /purser.json --data /var/lib/purser`,
    ]);
    assert.deepEqual(linesOf(unit, 'AmbientCapabilities'), ['CAP_NET_BIND_SERVICE']);
    assert.deepEqual(linesOf(unit, 'LogsDirectory'), ['shop']);
  });

  it('leaves the data folder to the configuration file where that has it', async (context) => {
    const root = temporaryFolder(context);
    writeFileSync(join(root, 'purser.json'), '{"data": "/srv/shop"}');
    const flags = ['--root', root, '--config', '/purser.json'];
    const unit = await printed(...flags);
    assert.deepEqual(linesOf(unit, 'ExecStart'), [`${PROGRAM} serve --config /purser.json`]);
    assert.deepEqual(linesOf(unit, 'ReadWritePaths'), ['/srv/shop']);
    const other = await printed(...flags, '--data', '/srv/other');
    assert.deepEqual(linesOf(other, 'ExecStart'), [
      `${PROGRAM} serve --config /purser.json --data /srv/other`,
    ]);
  });

  it('has no secret, and no path that the service cannot see', async () => {
    assert.match(
      await refusal('--alert-secret', 'x'.repeat(20)),
      /PURSER_ALERT_SECRET into \/etc\/purser\/environment/,
    );
    assert.match(await refusal('--alert-url', 'https://a.example/token'), /PURSER_ALERT_URL/);
    assert.match(await refusal('--data', '/home/anna/shop'), /cannot see \/home\/anna\/shop/);
    assert.match(await refusal('--port', 'x'), /option port/);
    const outcome = await purser(['install-service', '--print', '--exec', PROGRAM, '--data', '/tmp/shop']);
    assert.equal(outcome.exitCode, 0);
    assert.match(outcome.stderr, /^warning: the service cannot see \/tmp\/shop/);
  });
});

describe('an installation', () => {
  it('makes user, folder, file of secrets and unit, and keeps what is there', async (context) => {
    if (process.getuid?.() !== 0 || spawnSync('systemd-sysusers', ['--version']).error !== undefined)
      return context.skip('only root installs a service, and only where systemd is');
    const root = temporaryFolder(context);
    mkdirSync(join(root, 'etc'));
    const args = ['install-service', '--exec', PROGRAM, '--root', root, '--data', '/srv/shop'];
    const first = await purser(args);
    assert.equal(first.exitCode, 0, first.stderr);
    assert.match(first.stdout, /systemctl enable --now purser/);
    const [, , uid] =
      /^purser:.*$/m.exec(readFileSync(join(root, 'etc/passwd'), 'utf8'))?.[0].split(':') ?? [];
    const folder = statSync(join(root, 'srv/shop'));
    assert.equal(folder.uid, Number(uid));
    assert.equal(folder.mode & 0o777, 0o700);
    const secrets = join(root, 'etc/purser/environment');
    assert.equal(statSync(secrets).mode & 0o777, 0o600);
    writeFileSync(secrets, 'PURSER_MASTER_KEY=x\n');
    const second = await purser([...args, '--port', '9000']);
    assert.equal(second.exitCode, 0, second.stderr);
    assert.equal(readFileSync(secrets, 'utf8'), 'PURSER_MASTER_KEY=x\n');
    const unit = readFileSync(join(root, 'etc/systemd/system/purser.service'), 'utf8');
    assert.match(unit, /--data \/srv\/shop --port 9000/);
    assert.ok(!existsSync(join(root, 'var/lib/purser')));
  });
});
