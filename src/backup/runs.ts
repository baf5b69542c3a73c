/**
 * Runs: a node that ships to a target writes its run's name first, and one that finds a newer name than its own has
 * been replaced.
 *
 * A run's name is free once, so of two nodes that begin at the same moment one gets the next one. Fencing by them needs
 * a look; what happens between two looks, the chunks' names tell (`series-writer.ts`).
 *
 * An object that no node of this shop wrote fences nobody while it ships (`record.ts`). Before it begins, a name of a
 * higher epoch is enough: whoever has written it, no number is to be given twice.
 */
import { type KeyObject, randomBytes } from 'node:crypto';
import { type Epoch, FIRST_EPOCH } from '../engine/recovery/epochs.ts';
import { anotherShop, BackupError, lostTarget } from './backup-error.ts';
import { prove } from './proved-object.ts';
import { encodeRecord, readRecord, shopSaidBy } from './record.ts';
import type { BackupTarget } from './target/backup-target.ts';
import { BACKUP_FORMAT, parseRunName, RUNS, type Run, runName } from './target-layout.ts';

/** The newest one may have been stored wrongly, or altered: then the one before tells whose target it is. */
const MAX_JUDGED = 4;

/** Where runs are, and how they are proved. */
export interface RunPlace {
  readonly target: BackupTarget;
  readonly recordKey: KeyObject;
  /** Hears of objects that are not what a node of this shop wrote; they count for nothing. */
  readonly onAltered: (name: string) => void;
}

/** Whose run it is. */
export type Runner = Pick<Run, 'shop' | 'epoch' | 'fork' | 'begun'>;

/** The runner of a shop whose folder has had these restores. */
export function runnerOf(shop: string, epochs: readonly Epoch[]): Runner {
  const [before, current] = [epochs.at(-2), epochs.at(-1)];
  if (current === undefined) return { shop, epoch: FIRST_EPOCH, fork: null };
  const { epoch, position, hash, atMs: begun } = current;
  const fork = { epoch: before?.epoch ?? FIRST_EPOCH, position: { seq: position, hash } };
  return { shop, epoch, fork, begun };
}

/**
 * The number of the next run in the runner's epoch, behind number `before`. Rejects with `fenced` when the target is
 * another shop's, has a higher epoch, or another folder's run of this one; and with `TargetError`.
 */
export async function nextRun(
  place: RunPlace,
  runner: Runner,
  before: number,
  signal: AbortSignal,
): Promise<number> {
  const { target } = place;
  const newest: string[] = [];
  let last: ReturnType<typeof parseRunName>;
  let next = before + 1;
  for await (const { name } of target.list(RUNS, { signal })) {
    const run = parseRunName(name);
    if (run === undefined) continue;
    if (run.epoch === runner.epoch) next = Math.max(next, run.run + 1);
    last = run;
    newest.unshift(name);
    if (newest.length > MAX_JUDGED) newest.pop();
  }
  const proved = await expectOwnTarget(place, newest, runner, signal);
  // By its name: it may have been stored wrongly, and another node has begun that epoch all the same.
  if (last !== undefined && last.epoch > runner.epoch) {
    throw replaced(target, last, proved !== undefined && proved.epoch > runner.epoch);
  }
  if (proved?.epoch === runner.epoch && (proved.begun ?? runner.begun) !== runner.begun)
    throw replaced(target, proved, true);
  return next;
}

/** Writes the run; false when somebody else has its number. Rejects with `TargetError`; then the same may be tried again. */
export async function writeRun(
  { target, recordKey }: Omit<RunPlace, 'onAltered'>,
  run: Run,
  signal: AbortSignal,
): Promise<boolean> {
  const name = runName(run);
  return (await prove(target, name, encodeRecord(name, run, recordKey), signal)) === undefined;
}

export function newRun(runner: Runner, run: number, at: number): Run {
  const { shop, epoch, fork, begun } = runner;
  const nonce = randomBytes(8).toString('hex');
  return {
    format: BACKUP_FORMAT,
    shop,
    epoch,
    run,
    fork,
    ...(begun === undefined ? {} : { begun }),
    at,
    nonce,
  };
}

/**
 * Rejects with `fenced` when there is a newer run than this one, with `lost` when this one is gone, and
 * with `TargetError`.
 */
export async function expectNewest(place: RunPlace, own: Run, signal: AbortSignal): Promise<void> {
  const { target, recordKey, onAltered } = place;
  const ownName = runName(own);
  const before = runName({ epoch: own.epoch, run: own.run - 1 });
  let isThere = false;
  for await (const { name } of target.list(RUNS, { after: before, signal })) {
    isThere ||= name === ownName;
    if (name <= ownName) continue;
    const run = await readRecord<Run>(name, recordKey, (each) => target.read(each, { signal }));
    if (run !== undefined) throw replaced(target, run, true);
    onAltered(name);
  }
  if (!isThere) throw lostTarget(target, ownName);
}

/** Rejects with `fenced` when behind run `ended` there is one that isn't of these nonces, and with `TargetError`. */
export async function expectNoOther(
  { target, recordKey }: RunPlace,
  ended: string,
  nonces: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for await (const { name } of target.list(RUNS, { after: ended, signal })) {
    const run = await readRecord<Run>(name, recordKey, (each) => target.read(each, { signal }));
    if (run !== undefined && !nonces.includes(run.nonce)) throw replaced(target, run, true);
  }
}

/**
 * Judges whose the target is by the first of `names` that is a run of ours, with which it resolves; when none is, by
 * what they say.
 */
async function expectOwnTarget(
  { target, recordKey, onAltered }: RunPlace,
  names: readonly string[],
  { shop }: Runner,
  signal: AbortSignal,
): Promise<Run | undefined> {
  const read = (name: string) => target.read(name, { signal });
  const altered: string[] = [];
  let isOfOther = false;
  let own: Run | undefined;
  for (const name of names) {
    own = await readRecord<Run>(name, recordKey, read);
    if (own !== undefined) break;
    altered.push(name);
    isOfOther ||= ![undefined, shop].includes(shopSaidBy(await read(name)));
  }
  if (isOfOther && own === undefined) throw anotherShop(target);
  for (const name of altered) onAltered(name);
  return own;
}

function replaced(
  { url }: BackupTarget,
  { epoch, run }: Pick<Run, 'epoch' | 'run'>,
  isProved: boolean,
): BackupError {
  return new BackupError(
    'fenced',
    `another node ships to ${url} now (epoch ${epoch}, run ${run}): stop the one that is out of date, or give this one a target of its own`,
    isProved ? `epoch ${epoch}, run ${run}` : undefined,
  );
}
