/**
 * One archive, from the node's side, in the order that makes it safe: the facts are at the target, proved, and the
 * baseline's file is on disk (`archive-process.ts`); then a fact names the baseline, and the checkpoint has that fact; then
 * the files go, the oldest first.
 *
 * What always holds: killed at any step, the folder is whole. Before the fact it has all its files, and one more that
 * nobody reads. Behind it, whichever of the files are left, the journal continues the baseline; the next run removes them.
 */
import { fileURLToPath } from 'node:url';
import type { Baseline } from '../engine/baseline.ts';
import { removeBaselines } from '../persistence/baseline/baseline-names.ts';
import { removeOldestFile } from '../persistence/journal/open-log.ts';
import { runWatched } from '../restore/watched-process.ts';
import type { Archived } from './archive-making.ts';
import type { ArchiveReport, ArchiveRequest } from './archive-messages.ts';

const HOUR_MS = 60 * 60 * 1_000;
/** It tells of each chunk; the look at a segment, which comes before, takes a minute at most. */
const SILENCE_MS = HOUR_MS;
const DEADLINE_MS = 7 * 24 * HOUR_MS;
const NO_ROOM = 'the disk of the data folder has no room for an archive: make room';

export interface ArchivingOptions extends ArchiveRequest {
  readonly signal: AbortSignal;
  /** Records the baseline; resolves when the checkpoint has the fact. Rejects when it can't be. */
  readonly record: (baseline: Baseline) => Promise<void>;
  /** Rejects when somebody still has to read facts up to there: asked before each file goes, for a backup may begin any time. */
  readonly expectRead: (position: number) => Promise<void>;
  readonly onWait?: ((line: string | undefined) => void) | undefined;
  /** For tests; default: `archive-process.ts`. */
  readonly program?: string | undefined;
}

/** Rejects with an error of one line, and when `signal` is aborted. */
export async function archive(options: ArchivingOptions): Promise<Archived> {
  const { signal, record, expectRead, onWait, program = defaultProgram(), ...request } = options;
  const { folder, baseline: before } = request;
  const watch = {
    dataDir: folder,
    silenceMs: SILENCE_MS,
    deadlineMs: DEADLINE_MS,
    noRoom: NO_ROOM,
    signal,
  };
  const end = await runWatched<ArchiveReport>(program, request, watch, (report) =>
    onWait?.(report.kind === 'waits' ? report.line : undefined),
  );
  if ('error' in end) throw new Error(end.error);
  const { baseline } = end.archived;
  if (baseline === null) return end.archived;
  const isRecorded =
    before !== null &&
    baseline.position === before.position &&
    baseline.state === before.state &&
    baseline.archive === before.archive;
  if (!isRecorded) await record(baseline);
  do {
    await expectRead(baseline.position);
    signal.throwIfAborted();
  } while (await removeOldestFile(folder, baseline.position));
  await removeBaselines(folder, baseline.position);
  return end.archived;
}

function defaultProgram(): string {
  return fileURLToPath(new URL('./archive-process.js', import.meta.url));
}
