/** The unit that `purser install-service` makes: what is in it. As systemd judges it: `test/suites/packaging/`. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { purser, temporaryFolder } from './fake-operator.ts';

/** A program that exists, and lies in no home. */
const PROGRAM = '/bin/true';
const WATCHER =
  '--watcher --network trc20 --api https://api.example --operator http://127.0.0.1:8081 --token-file /etc/purser/watcher.token'.split(
    ' ',
  );

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

  it('runs a program beside the node with that one’s flags, and without the node’s secrets', async () => {
    const unit = await printed(...WATCHER, '--api-key-file=/etc/purser/my key');
    const lines: Record<string, string> = {
      ExecStart: `${PROGRAM} deposits watch --network trc20 --api https://api.example --operator http://127.0.0.1:8081 --token-file /etc/purser/watcher.token --api-key-file "/etc/purser/my key" --state /var/lib/purser-watcher`,
      StateDirectory: 'purser-watcher',
      Type: 'exec',
      EnvironmentFile: '',
      User: 'purser',
      After: 'network-online.target purser.service',
    };
    for (const [key, value] of Object.entries(lines)) assert.equal(linesOf(unit, key).join(' '), value, key);
    const elsewhere = await printed(...WATCHER, '--state', '/srv/watcher');
    assert.deepEqual(linesOf(elsewhere, 'ReadWritePaths'), ['/srv/watcher']);
    assert.deepEqual(linesOf(elsewhere, 'StateDirectory'), []);
  });

  it('runs the chat bot, whose two tokens are in files', async () => {
    const flags = '--telegram-token-file /etc/purser/telegram.token --operator http://127.0.0.1:8081';
    const unit = await printed(...`--bot ${flags} --token-file /etc/purser/bot.token`.split(' '));
    assert.deepEqual(linesOf(unit, 'ExecStart'), [
      `${PROGRAM} bot ${flags} --token-file /etc/purser/bot.token --state /var/lib/purser-bot`,
    ]);
    assert.match(
      await refusal(...`--bot ${flags} --telegram-token-file t --token-file /etc/b`.split(' ')),
      /--telegram-token-file: expected a whole path/,
    );
  });

  it('of such a program is refused what the program would refuse, and what is no flag of it', async () => {
    for (const [flags, told] of [
      [['--watcher', '--network', 'trc20'], /required option '--api <URL>'/],
      [[...WATCHER, '--unheard-of'], /unknown option '--unheard-of'/],
      [[...WATCHER, '--interval', 'soon'], /--interval/],
      [[...WATCHER, '--port', '80'], /--port: it is not a flag of --watcher/],
      [[...WATCHER, '--token', 'secret'], /--token: everybody can read a unit/],
      [[...WATCHER, '--state', 'here'], /--state: expected a whole path/],
      [[...WATCHER, '--api-key-file', '/home/anna/key'], /cannot see \/home\/anna\/key/],
      [WATCHER.slice(0, -2), /--token-file: the service needs it/],
      [WATCHER.slice(1), /unknown option or argument '--network'/],
    ] as const)
      assert.match(await refusal(...flags), told);
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
