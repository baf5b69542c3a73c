/**
 * Runs every `*.test.js` below `dist/test`, and checks the types of the whole project meanwhile, as `npm test` compiles
 * without checking.
 *
 *     node dist/test/run.js [--long FOLDER] [--test-name-pattern PATTERN] [PART OF A FILE'S NAME …]
 *
 * A file is a process, but for those that may share one (shared-process.ts). The longest start first, and those that
 * mostly wait run beside the others. What a process says is printed when it has ended, and only if it failed; its last
 * lines name the files that did, and count the tests. In a whole run, one that takes longer than `PATIENCE_MS` is ended
 * with all it has started, and has failed: a test that hangs must not take the names of the others with it.
 *
 * With names or `--long`, types are not checked, and everything is printed, with places in the sources: then files run
 * as they were compiled, else as they are in the bundle (compile.mjs) and without the runner's hook (without-hooks.cjs).
 * Of a file that runs alone it is printed at once, for the longest take half an hour.
 *
 * Each line tells how long a file took, and how much of it a processor worked, its servers' part included: two
 * processors can't do more than two seconds' work in one.
 *
 * Node's own runner (`node --test`) was given up: it starts files in the order of their names, and each in a process.
 * `--long FOLDER` sets PURSER_TEST_LONG for the proofs that have a short form here and a long one of their own.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { ALONE, LONGEST_FIRST, SLEEPERS } from './run-order.ts';
import { type SharedProcess, sharedProcesses } from './shared-process.ts';

interface Job {
  readonly name: string;
  /** What node is called with. */
  readonly args: readonly string[];
  /** The test files in it, none for the check of types. */
  readonly files: readonly string[];
}

interface Outcome {
  readonly job: Job;
  readonly hasPassed: boolean;
  readonly output: string;
}

interface End {
  readonly output: string;
  readonly end: string;
  readonly workedSeconds: number;
}

/** Files without a long wait leave their slot idle for a moment at times. */
const SLOTS = availableParallelism() + 2;
const SLEEPING_AT_ONCE = 4;
/** Several times what the longest file takes on a loaded machine. */
const PATIENCE_MS = 600_000;
const KINDS = ['tests', 'pass', 'fail', 'cancelled', 'skipped'] as const;
/** Runs its arguments, and tells at last how long processors worked for them. */
const TIMED = '"$@"; code=$?; times >&3; exit $code';

const { values, positionals } = parseArgs({
  options: { long: { type: 'string' }, 'test-name-pattern': { type: 'string', multiple: true } },
  allowPositionals: true,
});
const root = import.meta.dirname;
const repository = join(root, '..', '..');
const folder = values.long === undefined ? root : join(root, values.long);
const BUNDLE = join(repository, 'dist', 'bundle');
const BUNDLED = join(BUNDLE, 'bin', 'purser.cjs');
const isWhole = positionals.length === 0 && values.long === undefined;
const patterns = (values['test-name-pattern'] ?? []).map((pattern) => `--test-name-pattern=${pattern}`);
const isBundled = hasBundle();
const isTold = !isWhole || patterns.length > 0;
/** Only one file runs, and what it says is printed as it comes. */
let isLive = false;
const totals = new Map<string, number>(KINDS.map((kind) => [kind, 0]));
let workedSeconds = 0;
/** Ids of the groups of processes that run: each file has one. */
const groups = new Set<number>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    for (const group of groups) endGroup(group);
    process.kill(process.pid, signal);
  });

process.exitCode = await main();

async function main(): Promise<number> {
  const fromMs = performance.now();
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => join(folder, name))
    .filter((file) => positionals.length === 0 || positionals.some((part) => isMeantBy(file, part)))
    .sort();
  if (files.length === 0) {
    console.error(`no test file matches ${positionals.join(' ') || folder}`);
    return 1;
  }
  isLive = isTold && files.length === 1;
  const { working, sleeping } = planOf(files);
  const outcomes = (await Promise.all([runAll(working, SLOTS), runAll(sleeping, SLEEPING_AT_ONCE)])).flat();
  const failed = outcomes.filter(({ hasPassed }) => !hasPassed);
  for (const { job, output } of failed) {
    if (!isLive) console.log(`\n===== failed: ${job.name}\n${output}`);
  }
  for (const { job } of failed) console.log(`failed: ${job.name}`);
  // The closing lines of node's own runner, for those who count them.
  for (const kind of KINDS) console.log(`# ${kind} ${totals.get(kind)}`);
  console.log(`# processor_ms ${Math.round(workedSeconds * 1_000)}`);
  console.log(`# duration_ms ${Math.round(performance.now() - fromMs)}`);
  return failed.length === 0 ? 0 : 1;
}

function planOf(files: readonly string[]): { working: Job[]; sleeping: Job[] } {
  const rank = (file: string) => {
    const place = LONGEST_FIRST.indexOf(nameOf(file));
    return place < 0 ? LONGEST_FIRST.length : place;
  };
  const shared = isWhole ? sharedProcesses(root, ALONE) : [];
  const sharing = new Set(shared.flatMap((each) => each.files));
  const alone = files.filter((file) => !sharing.has(file));
  const [sleepers, others] = [alone.filter(isSleeper), alone.filter((file) => !isSleeper(file))];
  return {
    working: [
      ...(isWhole ? [checkOfTypes(), checkOfConsoleTypes()] : []),
      ...shared.map(sharedJobOf),
      ...others.sort((a, b) => rank(a) - rank(b)).map(jobOf),
    ],
    sleeping: sleepers.map(jobOf),
  };
}

/** `part` is in its name, or in that of cases that it runs (`contract/scene.ts`). */
function isMeantBy(file: string, part: string): boolean {
  const cases = readFileSync(file, 'utf8').match(/[\w-]+\.cases\b/g) ?? [];
  return [nameOf(file), ...cases].some((name) => name.includes(part));
}

function isSleeper(file: string): boolean {
  return SLEEPERS.includes(nameOf(file));
}

function nameOf(file: string): string {
  return relative(root, file).replace(/\.test\.js$/, '');
}

function sharedJobOf({ name, files }: SharedProcess): Job {
  const bundled = join(BUNDLE, 'dist', 'test', `${name}.js`);
  const entry = [join(root, 'shared-process.js'), ...files];
  return { name: `${name}: ${files.map(nameOf).join(', ')}`, args: argsOf(bundled, entry), files };
}

function jobOf(file: string): Job {
  return {
    name: nameOf(file),
    args: argsOf(join(BUNDLE, 'dist', 'test', relative(root, file)), [file]),
    files: [file],
  };
}

/** Of node; `bundled` is in the bundle unless its files run by themselves for once. */
function argsOf(bundled: string, entry: readonly string[]): string[] {
  const isInBundle = isBundled && isWhole && existsSync(bundled);
  const spared = isWhole ? ['--require', join(repository, 'test', 'without-hooks.cjs')] : [];
  const tests = isInBundle ? [bundled] : ['--enable-source-maps', ...entry];
  return [...spared, '--test-reporter=spec', ...patterns, ...tests];
}

/** By the native compiler, which takes a fifth of the processor time. `npm run build` checks with the other one. */
function checkOfTypes(): Job {
  const compiler = join(repository, 'node_modules', 'typescript-native', 'bin', 'tsc');
  const args = [compiler, '--project', join(repository, 'tsconfig.json'), '--noEmit'];
  args.push('--tsBuildInfoFile', join(repository, 'dist', '.tsbuildinfo-check'));
  return { name: 'types', args, files: [] };
}

/** The console runs in browsers, so it knows other globals. */
function checkOfConsoleTypes(): Job {
  const compiler = join(repository, 'node_modules', 'typescript-native', 'bin', 'tsc');
  const args = [compiler, '--project', join(repository, 'console')];
  return { name: 'types of the console', args, files: [] };
}

async function runAll(jobs: readonly Job[], atOnce: number): Promise<Outcome[]> {
  const rest = jobs.values();
  const outcomes: Outcome[] = [];
  const slots = Array.from({ length: atOnce }, async () => {
    for (const job of rest) outcomes.push(...(await runJob(job)));
  });
  await Promise.all(slots);
  return outcomes;
}

/** A shared process that ends without the name of a test that failed is run again file by file, to learn whose it was. */
async function runJob(job: Job): Promise<Outcome[]> {
  const fromMs = performance.now();
  const { output, end, workedSeconds: worked } = await outputOf(job);
  workedSeconds += worked;
  const hasPassed = end === 'code 0';
  const counts = KINDS.map((kind) => Number(new RegExp(`^ℹ ${kind} (\\d+)$`, 'm').exec(output)?.[1] ?? 0));
  const hasCrashed = !hasPassed && (counts[2] ?? 0) + (counts[3] ?? 0) === 0;
  for (const [index, kind] of KINDS.entries())
    totals.set(kind, (totals.get(kind) ?? 0) + (counts[index] ?? 0));
  const took = `${secondsSince(fromMs).padStart(6)} s, ${worked.toFixed(1).padStart(5)} worked`;
  console.log(`${hasPassed ? 'ok' : 'FAILED'} ${took}  ${job.name}`);
  if (isTold && hasPassed && !isLive) console.log(output);
  if (isLive && !hasPassed) console.log(`ended with ${end}`);
  const outcome = { job, hasPassed, output: `${output}\nended with ${end}` };
  if (!hasCrashed || job.files.length < 2) return [outcome];
  const again: Outcome[] = [outcome];
  for (const file of job.files) again.push(...(await runJob(jobOf(file))));
  return again;
}

function outputOf({ args }: Job): Promise<End> {
  const env = {
    ...process.env,
    ...(values.long === undefined ? {} : { PURSER_TEST_LONG: values.long }),
    ...(isBundled ? { TESTED_PURSER: BUNDLED } : {}),
  };
  const command = ['-c', TIMED, 'sh', process.execPath, ...args];
  const child = spawn('/bin/sh', command, { env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'], detached: true });
  const group = child.pid ?? assert.fail('no process could be started');
  groups.add(group);
  const [, out, err, times] = child.stdio;
  let isLate = false;
  const giveUp = () => {
    isLate = true;
    endGroup(group);
    // Whoever has left the group may still hold them.
    for (const stream of [out, err, times]) stream?.destroy();
  };
  const timer = isWhole ? setTimeout(giveUp, PATIENCE_MS) : undefined;
  const [output, timed] = [[] as string[], [] as string[]];
  for (const stream of [out, err])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output.push(text);
      if (isLive) process.stdout.write(text);
    });
  (times as Readable | null)?.setEncoding('utf8').on('data', (text: string) => timed.push(text));
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      groups.delete(group);
      const end = isLate ? `SIGKILL after ${PATIENCE_MS / 1_000} s` : (signal ?? `code ${code}`);
      resolve({ output: output.join(''), end, workedSeconds: secondsIn(timed.join('')) });
    });
  });
}

function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Its last process has just ended.
  }
}

/** Of `1m2.30s 0m0.45s`, twice: the shell's own, and its children's. */
function secondsIn(times: string): number {
  let seconds = 0;
  for (const [, minutes, rest] of times.matchAll(/(\d+)m([\d.]+)s/g))
    seconds += Number(minutes) * 60 + Number(rest);
  return seconds;
}

/** None that is older than the last build. */
function hasBundle(): boolean {
  const built = join(repository, 'dist', '.built');
  return existsSync(BUNDLED) && statSync(BUNDLE).mtimeMs >= statSync(built).mtimeMs;
}

function secondsSince(fromMs: number): string {
  return ((performance.now() - fromMs) / 1_000).toFixed(1);
}
