/**
 * Where `purser verify` begins: at the first fact, if the folder or an archive has it; else at the folder's baseline.
 *
 * What always holds: whatever it begins with, the chain of frames leads from there to the journal's end without a gap, and
 * the baseline's digest, which a fact of that chain names, is compared with what is known up to there: with its file, or
 * with the facts themselves.
 */
import { basename } from 'node:path';
import type { Baseline } from '../../engine/baseline.ts';
import type { Fact } from '../../engine/fact.ts';
import { State } from '../../engine/state.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { FrameChain } from '../journal/frame-chain.ts';
import { GENESIS, type LogHead, type LogReader } from '../journal/frame-log.ts';
import { decodeFacts } from '../journal/journal-frame.ts';
import { JournalReader } from '../journal/journal-reader.ts';
import { firstFactOf } from '../journal/open-log.ts';
import { type LoadedBaseline, loadBaseline } from './baseline-file.ts';
import { baselineFile } from './baseline-names.ts';
import { BASELINE_FORMAT, baselineDigest, type HistorySums, type SavedSums } from './history-sums.ts';

/** Facts that were moved out of the folder. */
export interface Archive {
  /** As operators name it. */
  readonly url: string;
  /** Frames from the first one on, up to the one with fact `through`; a frame's bytes are valid until the next one. */
  frames(through: number): AsyncIterable<Buffer>;
}

export interface ReplayStart {
  readonly state: State;
  readonly head: LogHead;
  /** Undefined at the first fact. */
  readonly sums: SavedSums | undefined;
}

const AT_FIRST: () => ReplayStart = () => ({ state: new State(), head: GENESIS, sums: undefined });

/**
 * `baseline`: what the checkpoint has. `print` hears where it begins, if that is not the folder's first fact. Rejects with
 * `DamagedDataError` when facts are missing that are in no archive which is given.
 */
export async function replayStart(
  folder: string,
  baseline: Baseline | null,
  archive: Archive | undefined,
  print: (line: string) => void,
): Promise<ReplayStart> {
  const first = firstFactOf(folder);
  if (first === 1) {
    if (archive !== undefined) print(`the folder has all facts, so ${archive.url} is not read`);
    return AT_FIRST();
  }
  if (archive !== undefined) {
    print(`archive: facts 1 to ${first - 1} are read from ${archive.url}`);
    return AT_FIRST();
  }
  if (baseline === null || baseline.position < first - 1) {
    throw new DamagedDataError(
      `the journal begins with fact ${first}, and no baseline says what the facts before it came to: they are lost; restore a backup`,
    );
  }
  const loaded: LoadedBaseline = await loadBaseline(folder, baseline);
  const { position, archive: where } = baseline;
  print(
    `${basename(baselineFile(folder, position))}: verified from here on; facts 1 to ${position} are at ${where} (--archive ${where} begins with the first one)`,
  );
  return loaded;
}

/** The groups of facts from there to the end of the folder's log, proved as one chain; `onEnd` hears where that is. */
export async function* groupsFrom(
  { head }: ReplayStart,
  folder: string,
  log: LogReader,
  archive: Archive | undefined,
): AsyncIterableIterator<{ readonly facts: readonly Fact[]; readonly head: LogHead }> {
  let from = head;
  const missing = firstFactOf(folder) - 1;
  if (archive !== undefined && from.position < missing) {
    const chain = new FrameChain(from);
    for await (const frame of archive.frames(missing)) {
      const facts = decodeFacts(frame, chain.add(frame));
      yield { facts, head: chain.head };
    }
    from = chain.head;
    if (from.position !== missing) {
      throw new DamagedDataError(
        `${archive.url} has facts up to ${from.position} only, and the folder's journal begins with fact ${missing + 1}`,
      );
    }
  }
  const journal = new JournalReader(log, from);
  for (const { facts } of journal.read()) yield { facts, head: journal.head };
}

/** Throws `DamagedDataError` unless the facts come to what the baseline says. Of another format that can't be told, and all facts are there. */
export function expectBaseline(baseline: Baseline, state: State, sums: HistorySums, { hash }: LogHead): void {
  if (baseline.format !== BASELINE_FORMAT) return;
  const hashText = hash.toString('hex');
  if (baseline.hash === hashText && baseline.state === baselineDigest(state, sums.saved, hashText)) return;
  throw new DamagedDataError(
    `the facts up to ${baseline.position} come to something else than the fact of the baseline says`,
  );
}
