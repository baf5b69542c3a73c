/**
 * Facts that a backup has behind the moment to which it is restored. They are read once, for what they took away
 * (`net-effect.ts`). The fact that begins the new epoch keeps that, because afterwards nobody has both.
 *
 * Invariant: no chunk keeps a restore from being made. A missing or damaged one may be the reason for an earlier
 * moment; then the answer is not complete. A drill and the search for what lies before a damaged chunk read none of
 * this.
 */
import { readEntries } from '../../backup/chunk-entries.ts';
import type { State } from '../../engine/state.ts';
import type { TakenAway } from '../../engine/taken-away.ts';
import { DamagedDataError } from '../../persistence/codec/byte-reader.ts';
import { extentOf, readHead, visitFacts } from '../../persistence/journal/journal-frame.ts';
import { RestoreError } from '../restore-error.ts';
import type { RestorePlan } from '../restore-plan.ts';
import { readAhead, type SourceChunk } from '../source-chunk.ts';
import { NetEffect } from './net-effect.ts';
import { RestoredThings } from './restored-things.ts';

type OnProgress = (progress: {
  readonly step: 'later';
  readonly done: number;
  readonly total: number;
}) => void;

/**
 * The effect of later facts; undefined when the backup has none. `state` is the shop at the restored moment; without it there are rows of what
 * may not have been there, too. Rejects with `TargetError`.
 */
export async function readTakenAway(
  { later, position, lastAtMs }: Pick<RestorePlan, 'later' | 'position' | 'lastAtMs'>,
  state?: State,
  onProgress: OnProgress = () => {},
): Promise<TakenAway | undefined> {
  const reading = new LaterReading(position.position, lastAtMs, state);
  const total = later.reduce((sum, { part, from }) => sum + part.count - from, 0);
  let done = 0;
  for (const { part, from, through } of later) {
    const chunks = readAhead(part.count - from, (index) => unlessDamaged(() => part.read(from + index)));
    for await (const chunk of chunks) {
      reading.chunk(chunk, through?.position ?? Number.POSITIVE_INFINITY);
      done += 1;
      onProgress({ step: 'later', done, total });
    }
  }
  return reading.takenAway;
}

async function unlessDamaged(read: () => Promise<SourceChunk>): Promise<SourceChunk | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RestoreError) return undefined;
    throw error;
  }
}

class LaterReading {
  readonly #effect: NetEffect;
  /** Position of the last fact that is restored, … */
  readonly #begin: number;
  /** … and of the last one that was read. */
  #position: number;
  #toMs: number;
  #isComplete = true;
  /** True when a chunk was passed over, and nothing has come since that shows whether facts are missing. */
  #isInDoubt = false;

  constructor(position: number, lastAtMs: number, state?: State) {
    this.#begin = position;
    this.#position = position;
    this.#toMs = lastAtMs;
    this.#effect = new NetEffect(new RestoredThings(state));
  }

  get takenAway(): TakenAway | undefined {
    if (this.#position === this.#begin && !this.#isInDoubt) return undefined;
    const isComplete = this.#isComplete && !this.#isInDoubt && this.#effect.isComplete;
    return { toMs: this.#toMs, isComplete, ...this.#effect.lists };
  }

  /** Facts behind `through` are of a history that was left. */
  chunk(chunk: SourceChunk | undefined, through: number): void {
    if (chunk === undefined) {
      this.#isInDoubt = true;
      return;
    }
    const before = this.#position;
    try {
      for (const entry of readEntries(chunk.body))
        if (entry.kind === 'frame') this.#frame(entry.frame, through);
    } catch (error) {
      if (!(error instanceof DamagedDataError)) throw error;
      this.#isComplete = false;
    }
    const { to, lastAtMs } = chunk.head;
    if (this.#position > before && this.#position === to.position) this.#toMs = lastAtMs;
  }

  /** Frames come again where two series overlap. */
  #frame(frame: Buffer, through: number): void {
    const { first, last } = extentOf(frame);
    const from = this.#position;
    const to = Math.min(last, through);
    if (to <= from) return;
    if (first > from + 1) this.#isComplete = false;
    this.#isInDoubt = false;
    visitFacts(frame, readHead(frame), {
      skipsPurchases: true,
      fact: (fact, sequence) => {
        if (sequence <= from || sequence > to) return;
        this.#toMs = fact.atMs;
        this.#effect.fact(fact);
      },
    });
    this.#position = to;
  }
}
