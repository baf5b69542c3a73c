/**
 * Makes the files of a data folder, in one that has no name yet, from the chunks of a plan: first what the stream holds,
 * then what follows from it, then the fact with which the new epoch begins, and the proof of all of it.
 */
import { brokenInvariants } from '../engine/apply/invariants.ts';
import { epochBegun } from '../engine/recovery/epoch-begun.ts';
import type { Gap } from '../engine/recovery/epochs.ts';
import type { State } from '../engine/state.ts';
import type { TakenAway } from '../engine/taken-away.ts';
import {
  checkpointIn,
  createCheckpoint,
  loadState,
  openCheckpoint,
} from '../persistence/checkpoint/checkpoint.ts';
import { CheckpointFold } from '../persistence/checkpoint/checkpoint-fold.ts';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import { ByteWriter } from '../persistence/codec/byte-writer.ts';
import { beginFolder } from '../persistence/folder/data-folder.ts';
import { GENESIS, type LogHead } from '../persistence/journal/frame-log.ts';
import { encodeFrame } from '../persistence/journal/journal-frame.ts';
import { JournalReader } from '../persistence/journal/journal-reader.ts';
import type { LogBuilder } from '../persistence/journal/log-builder.ts';
import { buildLog, openLog, openLogReader } from '../persistence/journal/open-log.ts';
import { verifyFiles } from '../persistence/verify.ts';
import { REMEDY } from './backup-source.ts';
import { readTakenAway } from './later/later-facts.ts';
import { RestoreError } from './restore-error.ts';
import type { PlannedPart, RestorePlan } from './restore-plan.ts';
import { RestoredFiles } from './restored-files.ts';
import { type GivenMasterKey, writeKeys } from './restored-keys.ts';
import { restoreOutbox } from './restored-outbox.ts';
import { RestoredQueues } from './restored-queues.ts';
import { RestoredTexts } from './restored-texts.ts';
import { StreamIntake } from './stream-intake.ts';

/** The step under way and its progress: bytes fetched, facts folded, later chunks read; the progress of the other steps isn't known. */
export interface RestoreProgress {
  readonly step: 'fetch' | 'fold' | 'later' | 'webhooks' | 'verify';
  readonly done: number;
  readonly total: number;
}

export interface MakeOptions {
  readonly key: GivenMasterKey;
  /** False leaves the folder in the epoch that it was of: for who only proves a backup, and starts no node. */
  readonly beginsEpoch: boolean;
  /** Unix milliseconds. */
  readonly nowMs: number;
  readonly onProgress?: ((progress: RestoreProgress) => void) | undefined;
  /** Gets the lines of the proof, as `purser verify` prints them. */
  readonly print?: ((line: string) => void) | undefined;
}

export interface Restored {
  /** The epoch of the folder. */
  readonly epoch: number;
  /** The folder's last fact. */
  readonly head: LogHead;
  readonly orders: number;
  /** The gap. A folder with one begins with sales closed; the gap has what later facts of the source took away. */
  readonly gap: Gap | null;
}

/** Bodies of chunks that are written together. */
const BATCH_BYTES = 8 * 1024 * 1024;
const BATCH_CHUNKS = 256;
/** The fold tells of its progress after about so many facts. */
const FACTS_PER_STEP = 100_000;

/** Rejects with `RestoreError`, `TargetError`, `DamagedDataError` and `StockError`, and with what the disk throws. */
export async function makeFolderOf(
  plan: RestorePlan,
  folder: string,
  options: MakeOptions,
): Promise<Restored> {
  const { onProgress = () => {}, print = () => {}, nowMs, beginsEpoch } = options;
  const { queues, groupEnds } = await fetch(plan, folder, onProgress);
  createCheckpoint(folder);
  let state = await foldThrough(folder, groupEnds, onProgress);
  const broken = brokenInvariants(state);
  if (broken.length > 0) throw new DamagedDataError(broken.join('; '));
  if (beginsEpoch) {
    const takenAway = await readTakenAway(plan, state, onProgress);
    const head = await beginEpoch(folder, state, plan, { ...options, takenAway });
    state = await foldThrough(folder, [head.position], () => {});
  }
  writeKeys(folder, plan.keys, options.key);
  onProgress({ step: 'webhooks', done: 0, total: state.position });
  const journal = new JournalReader(openLogReader(folder), GENESIS);
  await restoreOutbox({ folder, journal, queues, nowMs });
  onProgress({ step: 'verify', done: 0, total: state.position });
  await verifyFiles(folder, print, options.key.fromEnvironment);
  // Its files are all there: the format alone is written.
  await beginFolder(folder);
  const { epochs, orderCount, gap } = state;
  return { epoch: epochs.current, head: journal.head, orders: orderCount, gap };
}

type OnProgress = (progress: RestoreProgress) => void;

/** Fetches the stream of the backup into the folder. `groupEnds` are positions on the way, the last one at its end. */
async function fetch(plan: RestorePlan, folder: string, onProgress: OnProgress) {
  const log = await buildLog(folder);
  const texts = await RestoredTexts.create(folder, plan.keys.dataKeys);
  const files = new RestoredFiles(folder);
  const queues = new RestoredQueues();
  const intake = new StreamIntake({ log, texts, files, queues });
  const groupEnds: number[] = [];
  let fetched = 0;
  try {
    for (const [index, part] of plan.parts.entries()) {
      const through = part.through?.position ?? Number.POSITIVE_INFINITY;
      for await (const { bodies, bytes } of batches(part)) {
        await intake.take(bodies, through);
        fetched += bytes;
        onProgress({ step: 'fetch', done: fetched, total: Math.max(fetched, plan.bytes) });
        const { position } = log.head;
        if (position - (groupEnds.at(-1) ?? 0) >= FACTS_PER_STEP) groupEnds.push(position);
      }
      // Several parts come to the end of an epoch together.
      if (plan.parts[index + 1]?.part.epoch === part.part.epoch) continue;
      if (part.through !== undefined) expectAt(log, part.through, plan.source);
      queues.fork(log.head.position, part.part.epoch);
    }
    if (groupEnds.at(-1) !== log.head.position) groupEnds.push(log.head.position);
    files.finish();
    texts.finish();
    return { queues, groupEnds };
  } finally {
    await texts.close();
    await log.close();
  }
}

async function* batches({ part, count }: PlannedPart) {
  let bodies: Buffer[] = [];
  let bytes = 0;
  for await (const { body } of part.readFirst(count)) {
    bodies.push(body);
    bytes += body.length;
    if (bytes < BATCH_BYTES && bodies.length < BATCH_CHUNKS) continue;
    yield { bodies, bytes };
    bodies = [];
    bytes = 0;
  }
  if (bodies.length > 0) yield { bodies, bytes };
}

/** The journal has come as far as planned, and is the history that was planned. */
function expectAt({ head }: LogBuilder, { position, hash }: LogHead, source: string): void {
  if (head.position === position && head.hash.equals(hash)) return;
  const found =
    head.position === position
      ? `another fact ${position} than planned`
      : `facts up to ${head.position} only`;
  throw new RestoreError(`the chunks at ${source} give ${found}: ${REMEDY}`);
}

/** Folds up to each of these positions, and gives the state at the last one, without history. */
async function foldThrough(
  folder: string,
  positions: readonly number[],
  onProgress: OnProgress,
): Promise<State> {
  const total = positions.at(-1) ?? 0;
  const fold = new CheckpointFold(checkpointIn(folder), openLogReader(folder));
  try {
    for (const position of positions) {
      fold.foldThrough(position);
      onProgress({ step: 'fold', done: position, total });
      while (fold.mergePart());
    }
  } finally {
    await fold.close();
  }
  const checkpoint = openCheckpoint(folder);
  try {
    return loadState(checkpoint);
  } finally {
    checkpoint.close();
  }
}

async function beginEpoch(
  folder: string,
  state: State,
  { nextEpoch: epoch, isCleanEnd: isComplete }: RestorePlan,
  { nowMs, takenAway }: MakeOptions & { readonly takenAway: TakenAway | undefined },
): Promise<LogHead> {
  const log = openLog(folder);
  try {
    const hash = log.head.hash.toString('hex');
    const fact = epochBegun(state, { epoch, hash, isComplete, nowMs, takenAway });
    await log.append(encodeFrame(new ByteWriter(), state.position + 1, [fact], log.head.hash));
    return log.head;
  } finally {
    await log.close();
  }
}
