/**
 * Lines on standard error that say that something long goes on: the first after five seconds, and then one every half
 * minute, at a terminal and in a script's log alike. Rejected: bars, which only a terminal shows.
 */
import { printLines, type Terminal, visible } from './terminal.ts';

const TELL_AFTER_MS = 5_000;
const TELL_EVERY_MS = 30_000;

export class GoingOn {
  readonly #terminal: Terminal;
  readonly #name: string;
  readonly #nowMs: () => number;
  readonly #beganMs: number;
  #tellAtMs: number;

  /** `name`: as in `the drill has taken 5 s: …`. `nowMs` never goes backwards. */
  constructor(terminal: Terminal, name: string, nowMs = () => performance.now()) {
    this.#terminal = terminal;
    this.#name = name;
    this.#nowMs = nowMs;
    this.#beganMs = nowMs();
    this.#tellAtMs = this.#beganMs + TELL_AFTER_MS;
  }

  /** Tells it if it is time. To be called often. */
  now(does: string): void {
    const nowMs = this.#nowMs();
    if (nowMs < this.#tellAtMs) return;
    this.#tellAtMs += TELL_EVERY_MS;
    const seconds = Math.round((nowMs - this.#beganMs) / 1_000);
    printLines(this.#terminal.stderr, [`${this.#name} has taken ${seconds} s: ${visible(does)}`]);
  }
}
