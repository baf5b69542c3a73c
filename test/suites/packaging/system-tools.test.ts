/** The unit, as systemd judges it; and the command line as a process whose output nobody takes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { operatorForTests, runProcess, temporaryFolder } from '../../cli/fake-operator.ts';
import { repositoryRoot } from '../../support/repository-root.ts';

function isThere(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined;
}

/** Stands for the program: it exists, and lies in no home. */
const PROGRAM = '/bin/true';
const MOST_EXPOSED = 2;

it('the unit is clean and hardened, as systemd finds', (context) => {
  if (!isThere('systemd-analyze')) return context.skip('there is no systemd');
  const file = join(temporaryFolder(context), 'purser.service');
  const unit = readFileSync(join(repositoryRoot(), 'examples', 'systemd', 'purser.service'), 'utf8');
  writeFileSync(file, unit.replaceAll('/usr/bin/purser', PROGRAM));
  const analyze = (...args: string[]) => spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' });
  const { status, stderr } = analyze('verify');
  assert.deepEqual([status, stderr], [0, '']);
  const { stdout } = analyze('security', '--offline=true', '--no-pager');
  const [, exposed] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
  assert.ok(Number(exposed) < MOST_EXPOSED, stdout);
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
