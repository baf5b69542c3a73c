/**
 * Checks by the system's own programs of what the command line makes for them: systemd checks its unit
 * and installation. And the command line as a process whose output nobody takes.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { operatorForTests, purser, runProcess, temporaryFolder } from '../../cli/fake-operator.ts';

async function printed(line: string): Promise<string> {
  const { exitCode, stdout, stderr } = await purser(line.split(' '));
  assert.equal(exitCode, 0, stderr);
  assert.equal(stderr, '');
  return stdout;
}

function isThere(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined;
}

/** There is such a program, and in no home. */
const PROGRAM = '/bin/true';
const MOST_EXPOSED = 2;
const UNITS: Readonly<Record<string, string>> = {
  'a node': '',
  'a node elsewhere': ' --data /srv/shop --backup /mnt/100%/shop --access-log /var/log/shop/access.log',
  'a watcher of deposits':
    ' --watcher --network trc20 --api https://api.trongrid.io --operator http://127.0.0.1:8081 --token-file /etc/purser/watcher.token',
  'a chat bot':
    ' --bot --telegram-token-file /etc/purser/telegram.token --operator http://127.0.0.1:8081 --token-file /etc/purser/bot.token',
};

describe('the unit', () => {
  for (const [what, flags] of Object.entries(UNITS))
    it(`of ${what} is clean and hardened, as systemd finds`, async (context) => {
      if (!isThere('systemd-analyze')) return context.skip('there is no systemd');
      const [, companion] = /--(watcher|bot) /.exec(flags) ?? [];
      const name = companion === undefined ? 'purser' : `purser-${companion}`;
      const file = join(temporaryFolder(context), `${name}.service`);
      writeFileSync(file, await printed(`install-service --print --exec ${PROGRAM}${flags}`));
      const analyze = (...args: string[]) =>
        spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' });
      const { status, stderr } = analyze('verify');
      assert.deepEqual([status, stderr], [0, '']);
      const { stdout } = analyze('security', '--offline=true', '--no-pager');
      const [, exposed] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
      assert.ok(Number(exposed) < MOST_EXPOSED, stdout);
    });

  it('is installed with user, folder, file of secrets and unit, and keeps what is there', async (context) => {
    if (process.getuid?.() !== 0 || !isThere('systemd-sysusers'))
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

describe('stock withdraw', () => {
  const ENTRY = join(import.meta.dirname, '..', '..', 'cli', 'entry.js');
  const { operator } = operatorForTests({ status: 200, body: { success: true, items: ['a', 'b'] } });

  it('prints the items when they could not all be written', async (context) => {
    const many = Array.from({ length: 1_000 }, (_, index) => `CODE-${index}`);
    operator.answer = { status: 200, body: { success: true, items: many, requestId: 'req_1' } };
    const output = join(temporaryFolder(context), 'items.txt');
    const limited = ['-c', 'ulimit -f 1; exec "$@"', 'sh', process.execPath, ENTRY];
    const outcome = await runProcess(
      '/bin/sh',
      [...limited, 'stock', 'withdraw', '12', '--count', '1000', '--output', output],
      { env: operator.env },
    );
    assert.equal(outcome.exitCode, 1);
    assert.equal(outcome.stdout, `${many.join('\n')}\n`);
    assert.match(
      outcome.stderr,
      /^error: cannot write .*: EFBIG; the items are on standard output instead\n$/,
    );
  });

  it('says how to print them again when standard output takes nothing', async () => {
    const command = 'exec "$@" > /dev/full';
    const outcome = await runProcess(
      '/bin/sh',
      ['-c', command, 'sh', process.execPath, ENTRY, 'stock', 'withdraw', '12', '--count', '3'],
      { env: operator.env },
    );
    assert.equal(outcome.exitCode, 1);
    assert.match(
      outcome.stderr,
      /^error: the items are withdrawn, but could not be printed; print them with `purser stock withdrawn 12 --limit 3`$/m,
    );
  });
});
