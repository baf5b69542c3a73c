/**
 * Runs: who ships to a target writes its name first, and whoever finds a newer name than its own has been replaced.
 *
 * A run's name is free once, so of two nodes that begin at the same moment one gets the next one. Fencing by them needs
 * a look; what happens between two looks, the chunks' names tell (`series-writer.ts`).
 */
import { randomBytes } from 'node:crypto';
import { type Epoch, FIRST_EPOCH } from '../engine/epochs.ts';
import { anotherShop, FencedError } from './fenced-error.ts';
import { prove } from './proved-object.ts';
import type { BackupTarget } from './target/backup-target.ts';
import { BACKUP_FORMAT, parseRunName, RUNS, type Run, runName } from './target-layout.ts';

/** The newest one may have been stored wrongly: then the one before tells whose target it is. */
const MAX_JUDGED = 4;

/** Whose run it is. */
export type Runner = Pick<Run, 'shop' | 'epoch' | 'fork'>;

/** Of a shop whose folder has had these restores. */
export function runnerOf(shop: string, epochs: readonly Epoch[]): Runner {
  const [before, current] = [epochs.at(-2), epochs.at(-1)];
  if (current === undefined) return { shop, epoch: FIRST_EPOCH, fork: null };
  const { epoch, position, hash } = current;
  return { shop, epoch, fork: { epoch: before?.epoch ?? FIRST_EPOCH, position: { seq: position, hash } } };
}

/**
 * The number of the next run in the runner's epoch. Rejects with `FencedError` when the target is another shop's, or has a
 * higher epoch; and with `TargetError`.
 */
export async function nextRun(target: BackupTarget, runner: Runner, signal: AbortSignal): Promise<number> {
  const newest: string[] = [];
  let last: ReturnType<typeof parseRunName>;
  let next = 1;
  for await (const { name } of target.list(RUNS, { signal })) {
    const run = parseRunName(name);
    if (run === undefined) continue;
    if (run.epoch === runner.epoch) next = Math.max(next, run.run + 1);
    last = run;
    newest.unshift(name);
    if (newest.length > MAX_JUDGED) newest.pop();
  }
  await expectOwnTarget(target, newest, runner, signal);
  // By its name: it may have been stored wrongly, and another node has begun that epoch all the same.
  if (last !== undefined && last.epoch > runner.epoch) throw replaced(target, last);
  return next;
}

/** Writes the run; false when somebody else has its number. Rejects with `TargetError`; then the same may be tried again. */
export async function writeRun(target: BackupTarget, run: Run, signal: AbortSignal): Promise<boolean> {
  return (await prove(target, runName(run), encoded(run), signal)) === undefined;
}

export function newRun(runner: Runner, run: number, at: number): Run {
  const { shop, epoch, fork } = runner;
  return { format: BACKUP_FORMAT, shop, epoch, run, fork, at, nonce: randomBytes(8).toString('hex') };
}

/** Rejects with `FencedError` when there is a newer run than this one; and with `TargetError`. */
export async function expectNewest(target: BackupTarget, own: Run, signal: AbortSignal): Promise<void> {
  for await (const { name } of target.list(RUNS, { after: runName(own), signal })) {
    const run = await readRun(target, name, signal);
    // What is no run was left by somebody who then wrote the next one.
    if (run !== undefined) throw replaced(target, run);
  }
}

/** By the first of `names` that is a run: whose target it is. */
async function expectOwnTarget(
  target: BackupTarget,
  names: readonly string[],
  runner: Runner,
  signal: AbortSignal,
): Promise<void> {
  for (const name of names) {
    const run = await readRun(target, name, signal);
    if (run === undefined) continue;
    if (run.shop !== runner.shop) throw anotherShop(target);
    return;
  }
}

async function readRun(target: BackupTarget, name: string, signal: AbortSignal): Promise<Run | undefined> {
  const bytes = await target.read(name, { signal });
  try {
    const run = JSON.parse(bytes?.toString() ?? '') as Run;
    return run.format === BACKUP_FORMAT ? run : undefined;
  } catch {
    return undefined;
  }
}

function encoded(run: Run): Buffer {
  return Buffer.from(`${JSON.stringify(run)}\n`);
}

function replaced({ url }: BackupTarget, { epoch, run }: Pick<Run, 'epoch' | 'run'>): FencedError {
  return new FencedError(
    `another node ships to ${url} now (epoch ${epoch}, run ${run}): stop the one that is out of date, or give this one a target of its own`,
  );
}
