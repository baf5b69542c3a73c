/** `bin/purser.cjs`: builds when it must, waits for others who build, and starts with a larger thread pool. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { runProcess, temporaryFolder } from '../../cli/fake-operator.ts';
import { repositoryRoot } from '../../support/repository-root.ts';

const REPOSITORY = repositoryRoot();

/** A program that prints a word, to tell one build from the next. */
function programThatPrints(word: string): string {
  return `export async function main() {
  process.stdout.write('${word} ' + process.argv.slice(2).join(',') + '\\n');
}
`;
}

/** Builds a checkout with one source, and refuses a wrong one as the bundler does. */
const BUILDER = `
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const { stamped } = await import(process.cwd() + '/packaging/build-stamp.mjs');
await stamped(process.cwd(), () => {
  const text = readFileSync('src/cli/program.ts', 'utf8');
  if (text.includes('wrong')) {
    console.error('▲ [WARNING] take care\\n\\n✘ [ERROR] it is wrong\\n\\n    src/cli/program.ts:5:1:');
    process.exit(1);
  }
  mkdirSync('dist/program', { recursive: true });
  writeFileSync('dist/program/program.js', text);
});
`;

/** Everything a source checkout has that its start looks at. */
function checkout(context: TestContext, { installed = true } = {}): string {
  const root = temporaryFolder(context);
  cpSync(join(REPOSITORY, 'bin'), join(root, 'bin'), { recursive: true });
  for (const folder of ['src/cli', 'console', 'examples', 'packaging'])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  for (const name of ['tsconfig.json', 'tsconfig.client.json']) writeFileSync(join(root, name), '{}');
  writeFileSync(join(root, 'packaging', 'package-files.mjs'), BUILDER);
  cpSync(join(REPOSITORY, 'packaging', 'build-stamp.mjs'), join(root, 'packaging', 'build-stamp.mjs'));
  writeFileSync(join(root, 'src', 'cli', 'program.ts'), programThatPrints('first'));
  if (installed) {
    mkdirSync(join(root, 'node_modules', 'esbuild'), { recursive: true });
    writeFileSync(join(root, 'node_modules', 'esbuild', 'index.js'), '');
  }
  return root;
}

/** What a build leaves, written by hand. */
function writeBuild(root: string, word: string): void {
  mkdirSync(join(root, 'dist', 'program'), { recursive: true });
  writeFileSync(join(root, 'dist', 'program', 'program.js'), programThatPrints(word));
}

function start(root: string, onStderr?: (text: string) => void) {
  const bin = join(root, 'bin', 'purser.cjs');
  return runProcess(process.execPath, [bin, 'a', '--b'], onStderr === undefined ? {} : { onStderr });
}

function holdLock(root: string, owner: number): string {
  const lock = join(root, 'dist', '.building');
  mkdirSync(lock, { recursive: true });
  writeFileSync(join(lock, 'owner'), String(owner));
  return lock;
}

const BUILT = { exitCode: 0, stdout: 'first a,--b\n', stderr: 'building…\n' };
const RAN = { exitCode: 0, stdout: 'first a,--b\n', stderr: '' };

describe('a source checkout', () => {
  type Change = [what: string, change: (root: string) => void, word: string];
  const changes: Change[] = [
    ['a source was added', (root) => writeFileSync(join(root, 'src', 'extra.ts'), 'export {};\n'), 'first'],
    ['a source was deleted', (root) => unlinkSync(join(root, 'src', 'extra.ts')), 'first'],
    ...['package.json', 'tsconfig.client.json', 'node_modules/.package-lock.json'].map(
      (name): Change => [name, (root) => writeFileSync(join(root, name), '{ "type": "module" }'), 'first'],
    ),
    ...['bin', 'console', 'examples', 'packaging'].map(
      (name): Change => [name, (root) => writeFileSync(join(root, name, 'extra'), ''), 'first'],
    ),
    [
      'the program was deleted',
      (root) => rmSync(join(root, 'dist', 'program'), { recursive: true }),
      'first',
    ],
    ['everything built was deleted', (root) => rmSync(join(root, 'dist'), { recursive: true }), 'first'],
    [
      'a source was edited',
      (root) => writeFileSync(join(root, 'src', 'cli', 'program.ts'), programThatPrints('second')),
      'second',
    ],
  ];
  it('is built by the first start, not by the second, and again when it has changed', async (context) => {
    const root = checkout(context);
    assert.deepEqual(await start(root), BUILT);
    assert.deepEqual(await start(root), RAN);
    assert.ok(!existsSync(join(root, 'dist', '.building')), 'the lock is gone');
    for (const [what, change, word] of changes) {
      change(root);
      assert.deepEqual(await start(root), { ...BUILT, stdout: `${word} a,--b\n` }, what);
      assert.deepEqual(await start(root), { ...RAN, stdout: `${word} a,--b\n` }, what);
    }
  });

  it('does not start when it does not build, and starts again when it is mended', async (context) => {
    const root = checkout(context);
    const program = join(root, 'src', 'cli', 'program.ts');
    writeBuild(root, 'first');
    writeFileSync(program, 'wrong');
    const { exitCode, stdout, stderr } = await start(root);
    assert.deepEqual([exitCode, stdout], [1, '']);
    assert.match(stderr, /\[ERROR\] it is wrong[\s\S]*\nerror: the build failed; its messages are above\n$/);
    writeFileSync(program, programThatPrints('third'));
    assert.deepEqual(await start(root), { ...BUILT, stdout: 'third a,--b\n' });
  });

  it('is built once when several start at the same time, and all of them run', async (context) => {
    const root = checkout(context);
    const outcomes = await Promise.all([start(root), start(root), start(root)]);
    assert.deepEqual(
      outcomes.map(({ exitCode, stdout }) => ({ exitCode, stdout })),
      outcomes.map(() => ({ exitCode: 0, stdout: BUILT.stdout })),
    );
    const builders = outcomes.filter(({ stderr }) => stderr.includes('building…'));
    assert.equal(builders.length, 1);
  });

  it('waits while another process builds', async (context) => {
    const root = checkout(context);
    const lock = holdLock(root, process.pid);
    let isReleased = false;
    const outcome = await start(root, (text) => {
      if (text.includes('building…')) assert.ok(isReleased, 'it built while the lock was held');
      if (!text.includes('waiting for another build')) return;
      isReleased = true;
      rmSync(lock, { recursive: true });
    });
    assert.deepEqual(outcome, {
      ...BUILT,
      stderr: 'waiting for another build to finish…\nbuilding…\n',
    });
  });

  it('takes over the lock of a build that was killed before it could sign', async (context) => {
    const root = checkout(context);
    const lock = holdLock(root, 1);
    unlinkSync(join(lock, 'owner'));
    const minuteAgo = new Date(Date.now() - 60_000);
    utimesSync(lock, minuteAgo, minuteAgo);
    assert.deepEqual(await start(root), BUILT);
  });
});

describe('the process that runs the server', () => {
  it('says which Node it needs when this one is too old', async (context) => {
    const bin = join(checkout(context), 'bin', 'purser.cjs');
    for (const [version, isTooOld] of [
      ['18.20.0', true],
      ['20.18.3', true],
      ['20.19.0', false],
      ['22.0.0', false],
    ] as const) {
      const script = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); require(${JSON.stringify(bin)});`;
      const outcome = await runProcess(process.execPath, ['-e', script]);
      assert.equal(outcome.exitCode, isTooOld ? 1 : 0, `${version}: ${outcome.stderr}`);
      if (isTooOld) {
        assert.equal(outcome.stderr, `error: purser needs Node 20.19 or newer; this is ${version}\n`);
      }
    }
  });

  it('has sixteen pool threads, or as many as the environment says', async (context) => {
    if (process.platform !== 'linux') return context.skip('threads are counted in /proc');
    const root = checkout(context);
    writeFileSync(
      join(root, 'src', 'cli', 'program.ts'),
      `import { promises, readdirSync } from 'node:fs';
export async function main() {
  await Promise.all(Array.from({ length: 64 }, () => promises.stat('/')));
  process.stdout.write(String(readdirSync('/proc/self/task').length));
}
`,
    );
    const bin = join(root, 'bin', 'purser.cjs');
    const threads = async (env: Record<string, string>) =>
      Number((await runProcess(process.execPath, [bin], { env })).stdout);
    const afterBuild = await threads({});
    const atOnce = await threads({});
    const six = await threads({ UV_THREADPOOL_SIZE: '6' });
    assert.ok(six > 6, `${six} threads`);
    assert.equal(afterBuild - six, 10, 'building first does not make the pool');
    assert.equal(atOnce - six, 10);
  });
});
