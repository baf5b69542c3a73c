/**
 * Makes an archive of the journal's beginning: copies old segments to the target, proves them there, and writes the file of
 * the baseline beside the journal. It removes nothing, and no fact says anything yet: that is the node's (`archiving.ts`).
 *
 * One pass reads each frame once: it goes into a chunk, and its facts through `apply`, as in `purser verify`, into the state
 * that the baseline keeps. The state begins with the baseline before, so a run costs what it moves, whatever lies before.
 *
 * Rejected: the checkpoint's state. It is ahead of the place where a segment ends, and stopping the fold there would keep
 * everything waiting that reads it.
 */

import { existsSync } from 'node:fs';
import { MAX_BODY_BYTES } from '../backup/chunk.ts';
import { ChunkBody } from '../backup/chunk-entries.ts';
import { apply } from '../engine/apply.ts';
import type { Baseline } from '../engine/baseline.ts';
import { brokenInvariants } from '../engine/invariants.ts';
import { State } from '../engine/state.ts';
import { type LoadedBaseline, loadBaseline, writeBaseline } from '../persistence/baseline/baseline-file.ts';
import { baselineFile } from '../persistence/baseline/baseline-names.ts';
import { BASELINE_FORMAT, baselineDigest, HistorySums } from '../persistence/baseline/history-sums.ts';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import { checkBaseline, checkSegment } from '../persistence/folder/folder-check.ts';
import { FrameChain } from '../persistence/journal/frame-chain.ts';
import { GENESIS, type LogHead, type LogReader } from '../persistence/journal/frame-log.ts';
import { decodeFacts } from '../persistence/journal/journal-frame.ts';
import { firstFactOf, logExtents, openLogReaders } from '../persistence/journal/open-log.ts';
import { frameTimes } from '../persistence/journal/time-search.ts';
import { ArchiveError, type ArchiveStore } from './archive-store.ts';

/** Replayed rows are forgotten after so many facts. */
const FACTS_PER_GENERATION = 100_000;

export interface ArchiveMakingOptions {
  readonly folder: string;
  /** Where the database opens the folder's files: links to them (`folder-view.ts`). */
  readonly view: string;
  readonly store: ArchiveStore;
  /** Facts that happened before, Unix milliseconds, … */
  readonly beforeMs: number;
  /** … up to here. */
  readonly through: number;
  /** The folder's, by its facts. */
  readonly baseline: Baseline | null;
  /** Of the facts that are written now. */
  readonly epoch: number;
  /** It has come a step further. */
  readonly onProgress?: (() => void) | undefined;
}

export interface Archived {
  /** What the folder's journal may begin behind; null when it has no file that is old enough. */
  readonly baseline: Baseline | null;
  /** Facts that were copied, and the bytes of their chunks. */
  readonly facts: number;
  readonly bytes: number;
  /** What is old enough and stays, since somebody has still to read it; undefined when there is nothing. */
  readonly held?: Held | undefined;
}

export interface Held {
  /** Behind this fact. */
  readonly after: number;
  /** When the last fact of its first file happened, Unix milliseconds. */
  readonly atMs: number;
}

/** Rejects with `ArchiveError`, `TargetError`, `DamagedDataError` and `DataFolderError`, and with what the disk throws. */
export async function makeArchive(options: ArchiveMakingOptions): Promise<Archived> {
  const { folder, view, store, baseline } = options;
  const proved = new Set<string>();
  const log = openLogReaders(view, (file) => {
    if (!proved.has(file)) checkSegment(file);
    proved.add(file);
  })();
  try {
    const start = await startOf(options);
    const { last, held } = oldFiles({ ...options, log }, start.head.position);
    if (last === undefined) {
      // One that is there, and whose files were not removed in time: they may go now.
      const isDone = start.head.position > 0 && firstFactOf(folder) <= start.head.position;
      return { baseline: isDone ? baseline : null, facts: 0, bytes: 0, held };
    }
    const sums = new HistorySums(undefined, start.sums);
    const moved = new Move(options, log, start, sums);
    for (const end of moved.ends(last)) await moved.copy(end);
    const { state, head } = moved;
    const broken = brokenInvariants(state);
    if (broken.length > 0) throw new DamagedDataError(broken.join('; '));
    const saved = sums.saved;
    await writeBaseline(folder, { state, head, sums: saved });
    const hash = head.hash.toString('hex');
    const made = {
      format: BASELINE_FORMAT,
      position: head.position,
      hash,
      state: baselineDigest(state, saved, hash),
      archive: store.url,
    };
    return { baseline: made, facts: head.position - start.head.position, bytes: moved.bytes, held };
  } finally {
    await log.close();
  }
}

type Start = Pick<LoadedBaseline, 'state' | 'head'> & Partial<Pick<LoadedBaseline, 'sums'>>;

/** Behind the folder's baseline, or at its first fact: a restored folder has all facts, and no file of a baseline. */
async function startOf({ folder, view, store, baseline }: ArchiveMakingOptions): Promise<Start> {
  const atFirst = { state: new State(), head: GENESIS };
  if (baseline !== null && !(await store.endsAt(baseline.position))) {
    // Nobody could read a history from two places.
    if (firstFactOf(folder) === 1) return atFirst;
    throw new ArchiveError(
      `${store.url} lacks the facts up to ${baseline.position}, which are at ${baseline.archive}: archive there, or bring them back first (purser archive fetch)`,
    );
  }
  if (baseline !== null && existsSync(baselineFile(folder, baseline.position))) {
    checkBaseline(baselineFile(view, baseline.position));
    return loadBaseline(view, baseline);
  }
  if (firstFactOf(folder) === 1) return atFirst;
  throw new ArchiveError(
    'the file of the baseline is missing, which says what the archived facts came to: restore a backup, or bring the facts back (purser archive fetch)',
  );
}

interface Old extends Pick<ArchiveMakingOptions, 'view' | 'beforeMs' | 'through'> {
  readonly log: LogReader;
}

/** Up to where facts are old enough that are not in the archive yet, by whole files. The newest file stays. */
function oldFiles(
  { log, view, beforeMs, through }: Old,
  after: number,
): { readonly last: number | undefined; readonly held?: Held } {
  let last: number | undefined;
  for (const { firstSequence: next } of logExtents(view).slice(1)) {
    const end = next - 1;
    if (end <= after) continue;
    const atMs = frameTimes(log, end)?.times.at(-1);
    if (atMs === undefined) throw new DamagedDataError(`the journal's fact ${end} is missing`);
    if (atMs >= beforeMs) break;
    // Of further ones nobody needs to know, and each would be read to be proved.
    if (end > through) return { last, held: { after: last ?? after, atMs } };
    last = end;
  }
  return { last };
}

/** The frames behind a place, one after the other into chunks and into a state. */
class Move {
  readonly #options: ArchiveMakingOptions;
  readonly #log: LogReader;
  readonly #sums: HistorySums;
  readonly #chain: FrameChain;
  readonly #body = new ChunkBody();
  readonly state: State;
  /** Of all chunks, as they lie there. */
  bytes = 0;

  constructor(options: ArchiveMakingOptions, log: LogReader, { state, head }: Start, sums: HistorySums) {
    this.#options = options;
    this.#log = log;
    this.#sums = sums;
    this.#chain = new FrameChain(head);
    this.state = state;
  }

  get head(): LogHead {
    return this.#chain.head;
  }

  /** Where the journal's files end, up to there: no chunk has facts of two, so a run that goes on makes the same chunks. */
  ends(through: number): number[] {
    const ends = logExtents(this.#options.view).map(({ firstSequence }) => firstSequence - 1);
    return ends.filter((end) => end > this.head.position && end <= through);
  }

  async copy(through: number): Promise<void> {
    let from = this.head;
    for (const frame of this.#log.read(from.position)) {
      this.#apply(frame);
      this.#body.add({ kind: 'frame', frame });
      const isEnd = this.head.position >= through;
      if (!isEnd && this.#body.byteLength < MAX_BODY_BYTES) continue;
      const { epoch, store, onProgress } = this.#options;
      const { lastAtMs } = this.state;
      this.bytes += await store.put({ shop: store.shop, epoch, from, to: this.head, lastAtMs }, this.#body);
      this.#body.clear();
      onProgress?.();
      from = this.head;
      if (isEnd) return;
    }
    throw new DamagedDataError(
      `the journal ends at fact ${this.head.position}, and has a file behind ${through}`,
    );
  }

  #apply(frame: Buffer): void {
    const { state } = this;
    for (const fact of decodeFacts(frame, this.#chain.add(frame))) {
      apply(state, fact);
      this.#sums.add(fact, state);
    }
    if (state.recentOutcomes < FACTS_PER_GENERATION) return;
    state.cut();
    state.dropOlder();
  }
}
