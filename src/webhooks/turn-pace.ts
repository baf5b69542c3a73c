/**
 * How fast the outbox goes: as fast as it can, unless purchases want the processors that it runs on. Then events wait
 * in the journal and in the outbox, where they are durable, and go on at a slow but steady pace.
 *
 * A low priority alone is not enough. It decides who gets a processor, and the outbox then takes every moment in which
 * a purchase waits for the disk, and is in the way when the purchase goes on. Two things together say that it is in
 * the way: the main thread hardly rests, and this thread has to wait for a processor. The first alone would hold
 * deliveries back on a machine with cores to spare; the second alone, on one that is busy with deliveries only.
 */
import { closeSync, openSync, readSync } from 'node:fs';

/** From the end of a turn to the next. A turn is a transaction that is flushed. */
const SPACING_MS = { free: 10, heldBack: 100 } as const;
/** Attempts begun from one turn to the next. */
const ATTEMPTS = { free: 150, heldBack: 100 } as const;
/** The main thread hardly rests: of all time, how much it works. */
const BUSY = 0.75;
/** Nobody says that the main thread rests: it has nothing to say then. */
const BELIEVED_MS = 500;
/** This thread waits for a processor: of all time, how much. */
const WAITING = 0.05;
/** What is measured over a shorter time says little. */
const SHORTEST_LOOK_MS = 25;
const NANOSECONDS_PER_MS = 1e6;

export class TurnPace {
  readonly #file: number | undefined;
  readonly #bytes = Buffer.alloc(64);
  #lookedAtMs = performance.now();
  #waitedMs = 0;
  #isWaiting = false;
  #mainBusyUntilMs = 0;
  #begun = 0;

  private constructor(file: number | undefined) {
    this.#file = file;
  }

  /** Of the calling thread (Linux; elsewhere it is never held back). */
  static open(): TurnPace {
    try {
      return new TurnPace(openSync('/proc/thread-self/schedstat', 'r'));
    } catch {
      return new TurnPace(undefined);
    }
  }

  get spacingMs(): number {
    return SPACING_MS[this.#gear];
  }

  /** Whether another attempt may begin before the next turn. */
  get mayBegin(): boolean {
    return this.#begun < ATTEMPTS[this.#gear];
  }

  /** The main thread says how much of its time it works, from 0 to 1. */
  mainThreadWorks(share: number): void {
    this.#mainBusyUntilMs = share >= BUSY ? performance.now() + BELIEVED_MS : 0;
  }

  begun(): void {
    this.#begun += 1;
  }

  /** A turn begins. */
  turn(): void {
    this.#begun = 0;
    const nowMs = performance.now();
    const passedMs = nowMs - this.#lookedAtMs;
    if (this.#file === undefined || passedMs < SHORTEST_LOOK_MS) return;
    const waitedMs = readWaitedMs(this.#file, this.#bytes);
    this.#isWaiting = waitedMs - this.#waitedMs >= passedMs * WAITING;
    this.#waitedMs = waitedMs;
    this.#lookedAtMs = nowMs;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }

  get #gear(): 'free' | 'heldBack' {
    return this.#isWaiting && performance.now() < this.#mainBusyUntilMs ? 'heldBack' : 'free';
  }
}

/** How long the thread could have run and did not, since it began: the second number of the file. */
function readWaitedMs(file: number, bytes: Buffer): number {
  const length = readSync(file, bytes, 0, bytes.length, 0);
  const [, waitedNs = 0] = bytes.toString('latin1', 0, length).split(' ');
  return Number(waitedNs) / NANOSECONDS_PER_MS;
}
