/**
 * The file of a baseline, `baseline-….mdb`: what the facts up to its position came to, so that a replay can begin there
 * without them (docs/decisions/0039). It is laid out like the checkpoint, with the state's rows and without history, and
 * has the history's sums (`history-sums.ts`) besides.
 *
 * What always holds: it is written once, under another name, and gets its own when it is whole and durable. Only a fact
 * makes it count, which has its digest: a file that no fact names is what an interrupted archive left.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import type { Baseline } from '../../engine/baseline.ts';
import type { State } from '../../engine/state.ts';
import {
  CHECKPOINT_TABLES,
  type CheckpointTables,
  loadState,
  openCheckpointFile,
  writeState,
} from '../checkpoint/checkpoint-tables.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { decodeJson, encodeJson, readRow, seal } from '../codec/sealed-row.ts';
import { syncFolderOf } from '../disk/durable-file.ts';
import type { LogHead } from '../journal/frame-log.ts';
import { createEnvironment } from '../lmdb/lmdb-environment.ts';
import { lockFileOf } from '../lmdb/lock-file.ts';
import { baselineFile, unfinishedBaselines } from './baseline-names.ts';
import { BASELINE_FORMAT, baselineDigest, type SavedSums } from './history-sums.ts';

const SUMS_KEY = Buffer.from('sums');

/** Where a replay begins. */
export interface LoadedBaseline {
  readonly state: State;
  readonly head: LogHead;
  readonly sums: SavedSums;
}

/** Makes the file, in the place of one that was left there. */
export async function writeBaseline(folder: string, { state, head, sums }: LoadedBaseline): Promise<string> {
  const file = baselineFile(folder, head.position);
  const unfinished = `${file}.writing`;
  for (const left of unfinishedBaselines(folder)) rmSync(left, { force: true });
  await createEnvironment(unfinished, CHECKPOINT_TABLES);
  const tables = openCheckpointFile(unfinished);
  try {
    tables.environment.transactionSync(() => {
      writeState(tables, state, head.hash.toString('hex'));
      tables.meta.put(SUMS_KEY, seal(SUMS_KEY, encodeJson(sums)));
    });
  } finally {
    await tables.environment.close();
  }
  rmSync(lockFileOf(unfinished), { force: true });
  renameSync(unfinished, file);
  syncFolderOf(file);
  return file;
}

/**
 * What a folder's baseline has; its file must have been proved (`checkFile`). Throws `DamagedDataError` when it is not
 * what the fact says, or of a format that this version doesn't know.
 */
export async function loadBaseline(folder: string, baseline: Baseline): Promise<LoadedBaseline> {
  const file = baselineFile(folder, baseline.position);
  if (baseline.format !== BASELINE_FORMAT)
    throw new DamagedDataError(
      `${basename(file)} has format ${baseline.format}, and this version of Purser reads ${BASELINE_FORMAT}: use the version that archived, or bring the facts back (purser archive fetch)`,
    );
  if (!existsSync(file))
    throw new DamagedDataError(
      `${basename(file)} is missing; bring the archived facts back (purser archive fetch)`,
    );
  const tables = openCheckpointFile(file);
  try {
    const loaded = load(tables, file);
    const hash = loaded.head.hash.toString('hex');
    if (hash === baseline.hash && baselineDigest(loaded.state, loaded.sums, hash) === baseline.state)
      return loaded;
    throw new DamagedDataError(`${basename(file)} is not what the fact of the baseline says`);
  } finally {
    await tables.environment.close();
  }
}

function load(tables: CheckpointTables, file: string): LoadedBaseline {
  const { state, head } = loadState(tables);
  const sums = readRow('meta', tables.meta, SUMS_KEY, decodeJson<SavedSums>);
  if (sums === undefined) throw new DamagedDataError(`${basename(file)} has no sums`);
  return { state, head, sums };
}
