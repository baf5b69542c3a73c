/** `bin/purser.cjs`: builds when it must, waits for others who build, and starts with a larger thread pool. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
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
function checkout(context: TestContext): string {
  const root = temporaryFolder(context);
  cpSync(join(REPOSITORY, 'bin'), join(root, 'bin'), { recursive: true });
  for (const folder of ['src/cli', 'console', 'examples', 'packaging', 'node_modules/esbuild'])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  for (const name of ['tsconfig.json', 'tsconfig.client.json']) writeFileSync(join(root, name), '{}');
  writeFileSync(join(root, 'packaging', 'package-files.mjs'), BUILDER);
  cpSync(join(REPOSITORY, 'packaging', 'build-stamp.mjs'), join(root, 'packaging', 'build-stamp.mjs'));
  writeProgram(root, programThatPrints('first'));
  writeFileSync(join(root, 'node_modules', 'esbuild', 'index.js'), '');
  return root;
}

function writeProgram(root: string, text: string): void {
  writeFileSync(join(root, 'src', 'cli', 'program.ts'), text);
}

function start(root: string, onStderr: (text: string) => void = () => undefined) {
  return runProcess(process.execPath, [join(root, 'bin', 'purser.cjs'), 'a', '--b'], { onStderr });
}

const RAN = { exitCode: 0, stdout: 'first a,--b\n', stderr: '' };
const BUILT = { ...RAN, stderr: 'building…\n' };

describe('a source checkout', () => {
  it('is built by the first start, not by the second, and again when it has changed', async (context) => {
    const root = checkout(context);
    const changes: [what: string, change: () => void][] = [
      ['it is new', () => undefined],
      ['a source was added', () => writeFileSync(join(root, 'src', 'extra.ts'), 'export {};\n')],
      ['a source was deleted', () => rmSync(join(root, 'src', 'extra.ts'))],
      ['what it depends on', () => writeFileSync(join(root, 'node_modules', '.package-lock.json'), '{}')],
      ['the console', () => writeFileSync(join(root, 'console', 'extra'), '')],
      ['everything built was deleted', () => rmSync(join(root, 'dist'), { recursive: true })],
    ];
    for (const [what, change] of changes) {
      change();
      assert.deepEqual(await start(root), BUILT, what);
      assert.deepEqual(await start(root), RAN, what);
    }
  });

  it('does not start when it does not build, and starts again when it is mended', async (context) => {
    const root = checkout(context);
    await start(root);
    writeProgram(root, 'wrong');
    const { exitCode, stdout, stderr } = await start(root);
    assert.deepEqual([exitCode, stdout], [1, '']);
    assert.match(stderr, /\[ERROR\] it is wrong[\s\S]*\nerror: the build failed; its messages are above\n$/);
    writeProgram(root, programThatPrints('third'));
    assert.deepEqual(await start(root), { ...BUILT, stdout: 'third a,--b\n' });
  });

  it('is built once when several start at the same time, and waits while others build', async (context) => {
    const root = checkout(context);
    const outcomes = await Promise.all([start(root), start(root), start(root)]);
    for (const { exitCode, stdout } of outcomes) assert.deepEqual([exitCode, stdout], [0, BUILT.stdout]);
    assert.equal(outcomes.filter(({ stderr }) => stderr.includes('building…')).length, 1);

    writeFileSync(join(root, 'src', 'extra.ts'), '');
    const lock = join(root, 'dist', '.building');
    mkdirSync(lock);
    writeFileSync(join(lock, 'owner'), String(process.pid));
    const waited = await start(root, (text) => {
      if (text.includes('waiting for another build')) rmSync(lock, { recursive: true });
    });
    assert.deepEqual(waited, { ...BUILT, stderr: 'waiting for another build to finish…\nbuilding…\n' });
  });
});

describe('the process that runs the server', () => {
  it('says which Node it needs when this one is too old', async (context) => {
    const bin = join(checkout(context), 'bin', 'purser.cjs');
    for (const [version, isTooOld] of [
      ['20.18.3', true],
      ['20.19.0', false],
    ] as const) {
      const script = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); require(${JSON.stringify(bin)});`;
      const outcome = await runProcess(process.execPath, ['-e', script]);
      assert.equal(outcome.exitCode, isTooOld ? 1 : 0, `${version}: ${outcome.stderr}`);
      if (isTooOld)
        assert.equal(outcome.stderr, `error: purser needs Node 20.19 or newer; this is ${version}\n`);
    }
  });

  it('has sixteen pool threads, or as many as the environment says', async (context) => {
    if (process.platform !== 'linux') return context.skip('threads are counted in /proc');
    const root = checkout(context);
    writeProgram(
      root,
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
    assert.deepEqual([afterBuild - six, atOnce - six], [10, 10], 'building first does not make the pool');
  });
});
