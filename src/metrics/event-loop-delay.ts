/**
 * How long the main thread's event loop keeps waiting what is due: by a timer that looks how late it comes.
 *
 * A loop that was held up for long would be one late look among many punctual ones, so the looks that it missed count as
 * well, each with what it would have waited: the histogram says what any moment would have waited. Rejected: what
 * Node and the metrics library have for it. Their least value is their own interval of ten milliseconds, they count a long
 * hold-up once, and each scrape begins anew, so that two scrapers take figures away from each other.
 */
import { Histogram, type HistogramFigures } from './histogram.ts';

const LOOK_MS = 20;
const BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000];
/** A machine that was asleep says nothing of the loop. */
const LONGEST_MS = 60_000;

export class EventLoopDelay {
  readonly #delays = new Histogram(BOUNDS_MS);
  #timer: NodeJS.Timeout | undefined;
  #lookedMs = 0;

  start(): void {
    this.#lookedMs = performance.now();
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** In milliseconds. */
  get figures(): HistogramFigures {
    return this.#delays.figures;
  }

  #look(): void {
    const nowMs = performance.now();
    this.count(nowMs - this.#lookedMs - LOOK_MS);
    this.#lookedMs = nowMs;
  }

  /** A look that came so late, and those that it took the place of. */
  count(lateMs: number): void {
    const mostMs = Math.min(lateMs, LONGEST_MS);
    this.#delays.add(Math.max(0, mostMs));
    for (let delayMs = mostMs - LOOK_MS; delayMs > 0; delayMs -= LOOK_MS) this.#delays.add(delayMs);
  }
}
