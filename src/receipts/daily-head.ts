/**
 * Once a day the shop signs where its journal is (`signed-head.ts`), and the signed head goes where the node can't take
 * it back: to the operators' alerts, and to the backup. So nobody who has the node alone can rewrite history unseen.
 *
 * Invariant: a day's head is told once, and goes to the backup when that has the facts that it speaks of; it is tried
 * again until it is there. A start in between makes another one, which harms nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeDurably } from '../persistence/disk/durable-file.ts';
import type { HeadClaims } from './signed-head.ts';

export const HEAD_FILE = 'last-head';
const DAY_MS = 24 * 60 * 60 * 1_000;
/** The time before the first head of a folder that never had one. */
const FIRST_AFTER_MS = 60 * 60 * 1_000;
const LOOK_MS = 10_000;
/** By so much a clock may be set back that was right. */
const CLOCK_STEP_MS = 60_000;
/** A target that hangs is given up. */
const STOP_PATIENCE_MS = 1_000;

export interface SignedHead {
  readonly claims: HeadClaims;
  /** A compact JWS. */
  readonly text: string;
}

export interface DailyHeadOptions {
  readonly dataDir: string;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Signs where the journal is now, up to a durable fact. */
  readonly sign: () => SignedHead;
  readonly tell: (head: SignedHead) => void;
  /** Resolves with whether it is where it should be; false: try it again. */
  readonly ship: (head: SignedHead) => Promise<boolean>;
  readonly onTrouble: (error: unknown) => void;
  /** How often it is looked whether one is due; for tests, the default is ten seconds. */
  readonly lookMs?: number | undefined;
}

export class DailyHead {
  readonly #options: DailyHeadOptions;
  readonly #file: string;
  #lastMs: number;
  /** Told, and not shipped yet. */
  #pending: SignedHead | undefined;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DailyHeadOptions) {
    this.#options = options;
    this.#file = join(options.dataDir, HEAD_FILE);
    const lastMs = readLast(this.#file);
    this.#lastMs = lastMs ?? options.clock() - DAY_MS + FIRST_AFTER_MS;
    if (lastMs === undefined) this.#keep();
  }

  /** The first look is at once. */
  start(): void {
    const { lookMs = LOOK_MS } = this.#options;
    this.look();
    this.#timer = setInterval(() => this.look(), lookMs).unref();
  }

  /** Makes one when it is due, and ships what isn't there yet. */
  look(): void {
    this.#looking ??= this.#look()
      .catch(this.#options.onTrouble)
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.race([this.#looking, delay(STOP_PATIENCE_MS, null, { ref: false })]);
  }

  async #look(): Promise<void> {
    const { clock, sign, tell, ship } = this.#options;
    const ageMs = clock() - (this.#pending?.claims.at ?? this.#lastMs);
    // The last one lies in the future: the clock was wrong then.
    if (ageMs >= DAY_MS || ageMs < -CLOCK_STEP_MS) {
      this.#pending = sign();
      tell(this.#pending);
    }
    const pending = this.#pending;
    if (pending === undefined || !(await ship(pending))) return;
    this.#pending = undefined;
    this.#lastMs = pending.claims.at;
    this.#keep();
  }

  #keep(): void {
    try {
      writeDurably(this.#file, `${JSON.stringify({ at: this.#lastMs })}\n`);
    } catch (error) {
      this.#options.onTrouble(error);
    }
  }
}

/** Undefined when there is none, or it isn't ours. */
function readLast(file: string): number | undefined {
  try {
    const { at } = JSON.parse(readFileSync(file, 'utf8')) as { readonly at?: unknown };
    return typeof at === 'number' ? at : undefined;
  } catch {
    return undefined;
  }
}
