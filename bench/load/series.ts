/**
 * The number of answers in each tenth of a second of a window, and the longest time that one of them took.
 *
 * Two typed arrays of fixed length, so that an answer allocates nothing. Answers after the last slot count in the last
 * one: no window is that long.
 */

/** A tenth of a second. The last one of a window is from 50 to 150 ms long. */
export interface SeriesSlot {
  /** The beginning of the slot, from that of the measured time. */
  readonly atMs: number;
  readonly answers: number;
  /** The longest time of an answer that arrived in it; 0 without any. */
  readonly maxMs: number;
}

const slotMs = 100;
const mostSlots = 6_000;

export class Series {
  readonly #answers = new Uint32Array(mostSlots);
  readonly #maxMs = new Float64Array(mostSlots);

  /** `atMs` counts from the begin of the measured time. */
  record(atMs: number, latencyMs: number): void {
    const slot = Math.min(Math.floor(atMs / slotMs), mostSlots - 1);
    this.#answers[slot] = (this.#answers[slot] ?? 0) + 1;
    if (latencyMs > (this.#maxMs[slot] ?? 0)) this.#maxMs[slot] = latencyMs;
  }

  slots(measuredMs: number): SeriesSlot[] {
    const count = Math.min(Math.max(Math.round(measuredMs / slotMs), 1), mostSlots);
    const slots = Array.from({ length: count }, (_, slot) => ({
      atMs: slot * slotMs,
      answers: this.#answers[slot] ?? 0,
      maxMs: this.#maxMs[slot] ?? 0,
    }));
    const last = slots[count - 1];
    for (let slot = count; slot < mostSlots && last !== undefined; slot += 1) {
      last.answers += this.#answers[slot] ?? 0;
      last.maxMs = Math.max(last.maxMs, this.#maxMs[slot] ?? 0);
    }
    return slots;
  }
}

/** The series of several load processes as one. They begin at times of their own: `fromMs` is Unix milliseconds. */
export function mergeSeries(
  parts: readonly { readonly fromMs: number; readonly series: readonly SeriesSlot[] }[],
): SeriesSlot[] {
  const beginMs = Math.min(...parts.map(({ fromMs }) => fromMs));
  const merged: { atMs: number; answers: number; maxMs: number }[] = [];
  for (const { fromMs, series } of parts) {
    const shift = Math.round((fromMs - beginMs) / slotMs);
    for (const [index, { answers, maxMs }] of series.entries()) {
      const slot = shift + index;
      while (merged.length <= slot) merged.push({ atMs: merged.length * slotMs, answers: 0, maxMs: 0 });
      const into = merged[slot];
      if (into === undefined) continue;
      into.answers += answers;
      into.maxMs = Math.max(into.maxMs, maxMs);
    }
  }
  return merged;
}
