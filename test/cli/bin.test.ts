/** `bin/purser.cjs`: builds when it must, waits for others who build, and starts with a larger thread pool. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { repositoryRoot } from '../support/repository-root.ts';
import { runProcess, temporaryFolder } from './fake-operator.ts';

const REPOSITORY = repositoryRoot();

/** Without the library's declarations, which took the compiler longer than all the rest: those few that it must have. */
const DECLARATIONS = `${['Array', 'Promise'].map((name) => `interface ${name}<T> { length: T }`).join('\n')}
${[
  'Boolean',
  'CallableFunction',
  'Function',
  'IArguments',
  'NewableFunction',
  'Number',
  'Object',
  'RegExp',
  'String',
]
  .map((name) => `interface ${name} {}`)
  .join('\n')}
`;

const COMPILER_OPTIONS = {
  target: 'ES2023',
  noLib: true,
  types: [],
  module: 'NodeNext',
  rootDir: '.',
  outDir: 'dist',
  skipLibCheck: true,
  incremental: true,
  tsBuildInfoFile: 'dist/.tsbuildinfo',
};

/** A program that prints a word, to tell one build from the next. */
function programThatPrints(word: string): string {
  return `declare const process: any;
export async function main(): Promise<void> {
  process.stdout.write('${word} ' + process.argv.slice(2).join(',') + '\\n');
}
`;
}

/** Copies what is compiled here, without its types: for cases whose subject is when something is built, not how. */
const QUICK_COMPILER = `
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const text = readFileSync('src/cli/program.ts', 'utf8');
mkdirSync('dist/src/cli', { recursive: true });
writeFileSync('dist/src/cli/program.js', text.replace(/^declare.*\\n/, '').replace(': Promise<void>', ''));
`;

/** Everything a source checkout has, small enough to be compiled in a second, or at once by the quick compiler. */
function checkout(context: TestContext, compiler: 'tsc' | 'quick' | 'none' = 'tsc'): string {
  const root = temporaryFolder(context);
  cpSync(join(REPOSITORY, 'bin'), join(root, 'bin'), { recursive: true });
  mkdirSync(join(root, 'src', 'cli'), { recursive: true });
  mkdirSync(join(root, 'src', 'http', 'docs-page'), { recursive: true });
  mkdirSync(join(root, 'console'));
  for (const name of ['main.tsx', 'index.html', 'favicon.svg'])
    writeFileSync(join(root, 'console', name), '');
  writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(
    join(root, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['src'] }),
  );
  writeFileSync(join(root, 'src', 'lib.d.ts'), DECLARATIONS);
  writeFileSync(join(root, 'src', 'cli', 'program.ts'), programThatPrints('first'));
  if (compiler === 'tsc') symlinkSync(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'));
  if (compiler === 'quick') {
    const typescript = join(root, 'node_modules', 'typescript');
    mkdirSync(join(typescript, 'bin'), { recursive: true });
    writeFileSync(join(typescript, 'bin', 'tsc'), QUICK_COMPILER);
    writeFileSync(join(typescript, 'package.json'), '{"type": "commonjs"}');
    const bundler = join(root, 'node_modules', 'esbuild');
    mkdirSync(bundler);
    writeFileSync(join(bundler, 'index.js'), 'exports.buildSync = () => ({ metafile: { inputs: {} } });');
    writeFileSync(join(bundler, 'package.json'), '{"type": "commonjs"}');
    const page = 'swagger-ui-dist';
    symlinkSync(join(REPOSITORY, 'node_modules', page), join(root, 'node_modules', page));
  }
  return root;
}

/** What a build leaves, written by hand. */
function writeBuild(root: string, word: string): void {
  mkdirSync(join(root, 'dist', 'src', 'cli'), { recursive: true });
  const program = programThatPrints(word)
    .replace(/^declare.*\n/, '')
    .replace(': Promise<void>', '');
  writeFileSync(join(root, 'dist', 'src', 'cli', 'program.js'), program);
}

function start(root: string, onStderr?: (text: string) => void) {
  const bin = join(root, 'bin', 'purser.cjs');
  return runProcess(process.execPath, [bin, 'a', '--b'], onStderr === undefined ? {} : { onStderr });
}

/** The id of a process that has ended. */
function goneProcessId(): number {
  return spawnSync(process.execPath, ['--version']).pid;
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
    [
      'package.json changed',
      (root) => writeFileSync(join(root, 'package.json'), '{"type": "module"}'),
      'first',
    ],
  ];
  /** Which the compiler's own record of what it wrote could get wrong. */
  const changesForCompiler: Change[] = [
    ['the output was deleted', (root) => rmSync(join(root, 'dist', 'src'), { recursive: true }), 'first'],
    ['everything built was deleted', (root) => rmSync(join(root, 'dist'), { recursive: true }), 'first'],
    [
      'a source was edited',
      (root) => writeFileSync(join(root, 'src', 'cli', 'program.ts'), programThatPrints('second')),
      'second',
    ],
  ];
  it('is built by the first start, not by the second, and again when it has changed', async (context) => {
    for (const [compiler, list] of [
      ['quick', changes],
      ['tsc', changesForCompiler],
    ] as const) {
      const root = checkout(context, compiler);
      assert.deepEqual(await start(root), BUILT);
      assert.deepEqual(await start(root), RAN);
      assert.ok(!existsSync(join(root, 'dist', '.building')), 'the lock is gone');
      for (const [what, change, word] of list) {
        change(root);
        assert.deepEqual(await start(root), { ...BUILT, stdout: `${word} a,--b\n` }, what);
        assert.deepEqual(await start(root), { ...RAN, stdout: `${word} a,--b\n` }, what);
      }
    }
  });

  it('does not start when it does not compile, and starts again when it is mended', async (context) => {
    const root = checkout(context);
    const program = join(root, 'src', 'cli', 'program.ts');
    writeBuild(root, 'first');
    writeFileSync(program, `${programThatPrints('second')}const wrong: number = 'text';\n`);
    const outcome = await start(root);
    assert.equal(outcome.exitCode, 1);
    assert.equal(outcome.stdout, '');
    assert.match(
      outcome.stderr,
      /TS2322[\s\S]*\nerror: the build failed; what the compiler said is above\n$/,
    );
    writeFileSync(program, programThatPrints('third'));
    assert.deepEqual(await start(root), { ...BUILT, stdout: 'third a,--b\n' });
  });

  it('is built once when several start at the same time, and all of them run', async (context) => {
    const root = checkout(context, 'quick');
    const outcomes = await Promise.all([start(root), start(root), start(root)]);
    assert.deepEqual(
      outcomes.map(({ exitCode, stdout }) => ({ exitCode, stdout })),
      outcomes.map(() => ({ exitCode: 0, stdout: BUILT.stdout })),
    );
    const builders = outcomes.filter(({ stderr }) => stderr.includes('building…'));
    assert.equal(builders.length, 1);
  });

  it('waits while another process builds', async (context) => {
    const root = checkout(context, 'quick');
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

  it('takes over the lock of a build that was killed', async (context) => {
    const root = checkout(context, 'quick');
    holdLock(root, goneProcessId());
    assert.deepEqual(await start(root), BUILT);
  });

  it('takes over the lock of a build that was killed before it could sign', async (context) => {
    const root = checkout(context, 'quick');
    const lock = holdLock(root, 1);
    unlinkSync(join(lock, 'owner'));
    const minuteAgo = new Date(Date.now() - 60_000);
    utimesSync(lock, minuteAgo, minuteAgo);
    assert.deepEqual(await start(root), BUILT);
  });

  it('runs what was built when there is no compiler', async (context) => {
    const root = checkout(context, 'none');
    writeBuild(root, 'shipped');
    assert.deepEqual(await start(root), { ...RAN, stdout: 'shipped a,--b\n' });
  });

  it('says what to do when there is neither a build nor a compiler', async (context) => {
    const outcome = await start(checkout(context, 'none'));
    assert.equal(outcome.exitCode, 1);
    assert.match(outcome.stderr, /^error: purser is not built [^\n]*npm ci[^\n]*\n$/);
  });
});

describe('an installed package', () => {
  it('runs what it came with', async (context) => {
    const root = checkout(context);
    rmSync(join(root, 'src'), { recursive: true });
    writeBuild(root, 'installed');
    cpSync(join(root, 'dist', 'src', 'cli'), join(root, 'dist', 'program'), { recursive: true });
    rmSync(join(root, 'dist', 'src'), { recursive: true });
    for (const name of readdirSync(join(root, 'bin')))
      if (!['purser.cjs', 'say.cjs'].includes(name)) rmSync(join(root, 'bin', name));
    assert.deepEqual(await start(root), { ...RAN, stdout: 'installed a,--b\n' });
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
    const root = checkout(context, 'quick');
    writeFileSync(
      join(root, 'src', 'cli', 'program.ts'),
      `// @ts-nocheck: this project has no types of Node's
import { promises, readdirSync } from 'node:fs';
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

  it('is the process that was started: no child stands between', async (context) => {
    const root = checkout(context, 'quick');
    writeFileSync(
      join(root, 'src', 'cli', 'program.ts'),
      'declare const process: any;\nexport async function main() { process.stdout.write(String(process.ppid)); }\n',
    );
    assert.equal((await start(root)).stdout, String(process.pid));
    assert.match(readFileSync(join(root, 'bin', 'purser.cjs'), 'utf8'), /^#!\/usr\/bin\/env node\n/);
  });
});
