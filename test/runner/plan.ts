/**
 * Which jobs a tier has: the first one, all files below `dist/test` but `suites/`, with the checks of types; or a suite,
 * which the benchmarks have in their workspace.
 *
 * A file is a process, but for those that may share one (shared-process.ts), and for suites that are one.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Job } from './job.ts';
import { sharedProcesses } from './shared-process.ts';
import { SUITES, type SuiteName, suiteFolder, suiteNames, suitesOwedBy } from './suites.ts';

/** `dist/test`. */
const root = join(import.meta.dirname, '..');
const dist = join(root, '..');
const repository = join(dist, '..');
const WITHOUT_HOOKS = join(repository, 'test', 'runner', 'without-hooks.cjs');
const SHARED_PROCESS = join(import.meta.dirname, 'shared-process.js');
/**
 * V8 counts what LMDB maps as memory of the process. Beyond half of this limit, in MB, each file that is opened has all
 * garbage collected: two files in one process took ten times as long as one by one.
 */
const UNLIMITED = '--max-old-space-size=65536';
const PREPARED = [UNLIMITED, '--require', WITHOUT_HOOKS, '--test-reporter=spec'];

export function firstTier(): Job[] {
  const files = testFiles().filter((file) => suiteOf(file) === undefined);
  const shared = sharedProcesses(root, files);
  const sharing = new Set(shared.flatMap((each) => each.files));
  return [
    typesOf(
      'types',
      'tsconfig.json',
      '--noEmit',
      '--tsBuildInfoFile',
      join(repository, 'dist', '.tsbuildinfo-check'),
    ),
    typesOf('types of the console', 'console'),
    ...shared.map((each) => sharedJob(each.name, each.files)),
    ...files.filter((file) => !sharing.has(file)).map(jobOf),
  ];
}

export function jobsOf(suite: SuiteName): Job[] {
  const files = testFiles().filter((file) => suiteOf(file) === suite);
  return SUITES[suite].isOneProcess === true ? [sharedJob(suite, files)] : files.map(jobOf);
}

/** All files, of whatever tier, whose name has one of `parts` in it, or that run cases (`*.cases.ts`) whose name has. */
export function jobsNamed(parts: readonly string[]): Job[] {
  return testFiles()
    .filter((file) => {
      const cases = readFileSync(file, 'utf8').match(/[\w-]+\.cases\b/g) ?? [];
      return [nameOf(file), ...cases].some((name) => parts.some((part) => name.includes(part)));
    })
    .map(jobOf);
}

/** The suites that the change since `base` owes: its commits, and what isn't committed yet. Throws where git does. */
export function suitesOwedSince(base: string): SuiteName[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: repository, encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '');
  const committed = git('diff', '--name-only', '--no-renames', '--merge-base', base);
  return suitesOwedBy([...committed, ...git('ls-files', '--others', '--exclude-standard')]);
}

/**
 * The title of a job: its name, which says where its measured time is, and the files of a process that several share.
 */
export function titleOf({ name, files }: Job): string {
  return files.length > 1 ? `${name}: ${files.map(nameOf).join(', ')}` : name;
}

/** For each file of `job`, one of its own. */
export function oneByOne(job: Job): Job[] {
  return job.files.map(jobOf);
}

function testFiles(): string[] {
  return [root, join(dist, 'bench', 'test')]
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((name) => name.endsWith('.test.js'))
    .sort();
}

function suiteOf(file: string): SuiteName | undefined {
  return suiteNames().find((name) => relative(dist, file).startsWith(suiteFolder(name)));
}

function nameOf(file: string): string {
  return relative(dist, file).replace(/^test\/|\.test\.js$/g, '');
}

function jobOf(file: string): Job {
  return { name: nameOf(file), args: [...PREPARED, file], files: [file] };
}

function sharedJob(name: string, files: readonly string[]): Job {
  return { name, args: [...PREPARED, SHARED_PROCESS, ...files], files };
}

/** By the native compiler, which takes a fifth of the processor time. `npm run build` checks with the other one. */
function typesOf(name: string, project: string, ...further: readonly string[]): Job {
  const compiler = join(repository, 'node_modules', 'typescript-native', 'bin', 'tsc');
  return { name, args: [compiler, '--project', join(repository, project), ...further], files: [] };
}
