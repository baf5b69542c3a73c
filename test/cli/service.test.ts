/** The unit that `purser install-service` makes: what is in it. As systemd judges it: `test/suites/packaging/`. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { purser, temporaryFolder } from './fake-operator.ts';

/** A program that exists, and lies in no home. */
const PROGRAM = '/bin/true';

async function printed(...flags: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await purser(
    `install-service --print --exec ${PROGRAM}`.split(' ').concat(flags),
  );
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

describe('the unit', () => {
  const units: readonly [what: string, flags: string[], lines: Record<string, string>][] = [
    [
      'starts the program with the flags that were given, and no others',
      ['--port', '9000', '--webhook-retries', '1m,5m', '--demo'],
      {
        ExecStart: `${PROGRAM} serve --data /var/lib/purser --port 9000 --demo --webhook-retries 1m,5m`,
        StateDirectory: 'purser',
        User: 'purser',
        AssertPathExists: PROGRAM,
        CapabilityBoundingSet: '',
      },
    ],
    [
      'takes paths whole, and keeps what means something to systemd apart',
      ['--data', '/srv/my $shop', '--backup', '/mnt/100%/shop'],
      {
        ExecStart: `${PROGRAM} serve --data "/srv/my $$shop" --backup /mnt/100%%/shop`,
        ReadWritePaths: '"/srv/my $shop" -/mnt/100%%',
      },
    ],
    [
      'lets systemd make the folders of states and logs',
      ['--backup', '/var/lib/backup/shop', '--access-log', '/var/log/purser/access.log'],
      { StateDirectory: 'purser backup/shop', LogsDirectory: 'purser' },
    ],
    [
      'gives a port below 1024 the right that it needs',
      ['--port', '80'],
      { CapabilityBoundingSet: 'CAP_NET_BIND_SERVICE' },
    ],
  ];
  for (const [what, flags, lines] of units)
    it(what, async () => {
      const unit = await printed(...flags);
      for (const [key, value] of Object.entries(lines))
        assert.equal(linesOf(unit, key).join(' '), value, key);
    });

  it('waits for suppliers and for the disk when it stops the node', async () => {
    const seconds = async (...flags: string[]) =>
      Number.parseInt(linesOf(await printed(...flags), 'TimeoutStopSec')[0] ?? '', 10);
    assert.ok((await seconds()) >= 15 + 2 + 60);
    assert.equal(await seconds('--supplier-timeout', '45s'), (await seconds()) + 30);
  });

  it('goes by the configuration file of the system that it is for', async (context) => {
    const root = temporaryFolder(context);
    writeFileSync(join(root, 'purser.json'), '{"port": 80, "data": "/srv/shop"}');
    const flags = ['--root', root, '--config', '/purser.json'];
    const unit = await printed(...flags);
    assert.deepEqual(linesOf(unit, 'ExecStart'), [`${PROGRAM} serve --config /purser.json`]);
    assert.deepEqual(linesOf(unit, 'ReadWritePaths'), ['/srv/shop']);
    assert.deepEqual(linesOf(unit, 'AmbientCapabilities'), ['CAP_NET_BIND_SERVICE']);
  });

  it('has no secret, and no path that the service cannot see', async () => {
    assert.match(
      await refusal('--alert-secret', 'x'.repeat(20)),
      /PURSER_ALERT_SECRET into \/etc\/purser\/environment/,
    );
    assert.match(await refusal('--alert-url', 'https://a.example/token'), /PURSER_ALERT_URL/);
    assert.match(await refusal('--data', '/home/anna/shop'), /cannot see \/home\/anna\/shop/);
  });
});
