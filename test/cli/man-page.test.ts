/** The manual page: it has every command with its flags, and every variable; `man` can read it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { OPTIONS } from '../../src/config/options.ts';
import { purser } from './fake-operator.ts';

async function printed(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await purser(args);
  assert.equal(exitCode, 0, stderr);
  return stdout;
}

/** Of each command, as completion has them. */
async function flagsByCommand(): Promise<Map<string, string[]>> {
  const script = await printed('completion', 'bash');
  const rows = script.matchAll(/^ {2}'([a-z -]*)'\) commands='[^']*' flags='([^']*)'/gm);
  return new Map([...rows].map(([, command = '', flags = '']) => [command, flags.split(' ')]));
}

/** The part of the page that begins with a command, as it is read. */
function partOf(page: string, command: string): string {
  const begin = page.search(new RegExp(`^\\.SS "purser ${command}(?: [^a-z].*)?"$`, 'm'));
  assert.notEqual(begin, -1, `there is nothing about ${command}`);
  const [part = ''] = page.slice(begin + 1).split(/^\.S[SH] /m, 1);
  return part;
}

describe('the manual page', () => {
  it('has every command with all its flags, and every variable', async () => {
    const page = (await printed('man')).replaceAll('\\-', '-');
    const commands = await flagsByCommand();
    assert.ok(commands.size > 80, `${commands.size} commands`);
    for (const [command, flags] of commands) {
      if (command === '' || /^help|\bhelp$/.test(command)) continue;
      const part = partOf(page, command);
      for (const flag of flags) assert.ok(part.includes(flag), `${command} ${flag}`);
    }
    for (const { env } of Object.values(OPTIONS)) assert.ok(page.includes(`.B "${env}"`), env);
    assert.ok(page.includes('.B "PURSER_MASTER_KEY"'));
  });

  it('is read by man without a warning', async (context) => {
    if (spawnSync('man', ['--version']).error !== undefined) return context.skip('there is no man');
    const args = ['--warnings', '-E', 'UTF-8', '-l', '-Tutf8', '-'];
    const { status, stdout, stderr } = spawnSync('man', args, {
      input: await printed('man'),
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', MANWIDTH: '100' },
    });
    assert.equal(status, 0, stderr);
    assert.equal(stderr, '');
    assert.match(stdout, /sells digital goods by API/);
  });
});
