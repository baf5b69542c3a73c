/** Completion: bash's own, once typed at a terminal, and in its other cases as bash calls it; zsh and fish where they are. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { purser, temporaryFolder } from './fake-operator.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

async function scriptFor(shell: string): Promise<string> {
  const { exitCode, stdout, stderr } = await purser(['completion', shell]);
  assert.equal(exitCode, 0, stderr);
  return stdout;
}

function isThere(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined;
}

/** A folder with a script, and two things that a path can be completed to. */
async function place(context: TestContext, shell: string) {
  const folder = temporaryFolder(context);
  mkdirSync(join(folder, 'codes-folder'));
  writeFileSync(join(folder, 'codes.txt'), '');
  writeFileSync(join(folder, 'completion'), await scriptFor(shell));
  return folder;
}

/** Each is what was typed, with a space at its end before a new word; and some of what it can become. */
const CASES: readonly [typed: string, among: readonly string[], not: readonly string[]][] = [
  ['purser ', ['serve', 'doctor', 'account', 'completion', 'help'], ['create', '--data']],
  ['purser acc', ['account'], ['serve']],
  ['purser account ', ['create', 'list'], ['serve', 'issue']],
  ['purser serve --op', ['--operator-port', '--operator-host'], ['--data', '--token']],
  ['purser serve --transport ', ['auto', 'uws', 'node'], ['--data']],
  ['purser serve --transport u', ['uws'], ['auto', 'node']],
  ['purser serve --demo --log-l', ['--log-level'], []],
  ['purser serve --data ', ['codes-folder'], ['codes.txt']],
  ['purser account create --name list --', ['--rate-limit', '--reason'], ['--cursor']],
  ['purser stock add 1 co', ['codes.txt', 'codes-folder'], []],
  ['purser backup --data codes-folder ', ['status', 'drill', 'codes.txt'], []],
  ['purser completion ', ['bash', 'zsh', 'fish'], []],
  ['purser --', ['--version', '--help'], ['--data']],
];

/** For flags whose value is joined to them. */
const JOINED = ['purser serve --transport=n', ['node'], ['auto', 'uws']] as const;

describe('completion in bash', () => {
  it('has what each command and flag can be followed by', async (context) => {
    if (!isThere('bash')) return context.skip('there is no bash');
    const folder = await place(context, 'bash');
    for (const [typed, among, not] of [...CASES, JOINED]) {
      // As bash takes a line apart for the function: at blanks and at each =.
      const words = typed
        .replace(/=/g, ' = ')
        .split(' ')
        .map((word) => `'${word}'`);
      const program = `source ./completion; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); $(complete -p purser | sed 's/.*-F \\([^ ]*\\) .*/\\1/'); printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', program], {
        cwd: folder,
        encoding: 'utf8',
      });
      assert.equal(stderr, '', typed);
      expect(typed, stdout.trim().split('\n'), among, not);
    }
  });

  it('completes what somebody types at a terminal', async (context) => {
    if (!isThere('bash') || !isThere('script'))
      return context.skip('there is no bash, or no terminal for it');
    const folder = await place(context, 'bash');
    const shell = spawn('script', ['--quiet', '--command', 'bash --norc --noprofile -i', '/dev/null'], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', TERM: 'dumb', HOME: folder },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const shown = text(shell.stdout);
    shell.stdin.write("purser() { printf 'got:'; printf ' <%s>' \"$@\"; echo; }; source ./completion\n");
    shell.stdin.write('purser acco\tcrea\t--nam\tx\n');
    shell.stdin.write('purser serve --transport=uw\t--dat\tcodes-f\t\n');
    shell.stdin.end('exit\n');
    const got = (await shown).replaceAll('\r', '');
    assert.match(got, /^got: <account> <create> <--name> <x>$/m);
    assert.match(got, /^got: <serve> <--transport=uws> <--data> <codes-folder\/>$/m);
  });
});

describe('completion in fish', () => {
  it('has what each command and flag can be followed by', async (context) => {
    if (!isThere('fish')) return context.skip('there is no fish');
    const folder = await place(context, 'fish');
    for (const [typed, among, not] of [...CASES, JOINED]) {
      const { stdout, stderr } = spawnSync(
        'fish',
        ['--no-config', '-c', 'source ./completion; complete -C "$argv[1]"', typed],
        { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH ?? '', HOME: folder } },
      );
      assert.equal(stderr, '', typed);
      const words = stdout
        .split('\n')
        .map((line) => line.split('\t')[0]?.replace(/^--[a-z-]+=|\/$/g, '') ?? '');
      expect(typed, words, among, not);
    }
  });
});

describe('completion in zsh', () => {
  it('has what each command and flag can be followed by', async (context) => {
    if (!isThere('zsh') || !isThere('script')) return context.skip('there is no zsh, or no terminal for it');
    const folder = await place(context, 'zsh');
    for (const [typed, [word = '']] of [...CASES, JOINED].filter(([, among]) => among.length === 1)) {
      const shell = spawn('script', ['--quiet', '--command', 'zsh -f -i', '/dev/null'], {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '', TERM: 'dumb', HOME: folder },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const shown = text(shell.stdout);
      shell.stdin.write('autoload -Uz compinit; compinit -u; source ./completion\n');
      shell.stdin.write('purser() { print -r -- got: "<$^@>" }\n');
      shell.stdin.write(`${typed}\t\n`);
      shell.stdin.end('exit\n');
      const got = (await shown).replaceAll('\r', '');
      assert.match(got, new RegExp(`^got: .*[<=]${word}/?>$`, 'm'), `${typed}: ${got}`);
    }
  });
});

describe('a script of completion', () => {
  it('has every command and flag that the help shows', async (context) => {
    const { stdout: help } = await purser(['serve', '--help']);
    const flags = [...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag = '']) => flag);
    assert.ok(flags.length > 30);
    for (const shell of SHELLS) {
      const script = await scriptFor(shell);
      for (const flag of flags) assert.ok(script.includes(flag.slice(2)), `${shell}: ${flag}`);
      if (!isThere(shell)) continue;
      const file = join(await place(context, shell), 'completion');
      assert.equal(spawnSync(shell, ['-n', file], { encoding: 'utf8' }).stderr, '', shell);
    }
  });

  it('is there for known shells only', async () => {
    const { exitCode, stderr } = await purser(['completion', 'csh']);
    assert.equal(exitCode, 2);
    assert.match(stderr, /expected one of bash, zsh, fish/);
  });
});

function expect(typed: string, words: readonly string[], among: readonly string[], not: readonly string[]) {
  for (const word of among) assert.ok(words.includes(word), `${typed}… lacks ${word}: ${words.join(' ')}`);
  for (const word of not) assert.ok(!words.includes(word), `${typed}… has ${word}`);
}
