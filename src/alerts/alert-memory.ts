/**
 * States that were told, kept in a small file: a node that starts again tells which are over by now, and its receivers
 * don't stay red for ever. A file that is missing, or isn't ours, is as none; one that can't be written, as on a full
 * disk, is tried again at the next look, and costs nothing else.
 */
import { STATE_ERRORS, type StateError } from './alert.ts';
import type { StandingAlerts, StandingState } from './standing-alerts.ts';

/** By then every watcher has found what is still so, and much earlier most of it. */
const LOOKS_UNTIL_FOUND = 30;
const LOOKS_UNTIL_KNOWN = 3;

export interface AlertMemoryOptions {
  readonly standing: StandingAlerts;
  /** As it was written last; undefined when there is none. */
  readonly text: string | undefined;
  /** Whether other nodes tell alerts of this shop, too. */
  readonly isShared: boolean;
  /** Told states of before aren't known here, so receivers are to learn which ones go on now. */
  readonly onUnknown: () => void;
  /** The file with this text, written when `keep` is called. */
  readonly fileOf: (textOf: () => string) => { keep(): Promise<void> };
  /** Once, until it can be written again. */
  readonly onTrouble: (error: unknown) => void;
}

export class AlertMemory {
  readonly #options: AlertMemoryOptions;
  readonly #file: { keep(): Promise<void> };
  #kept: number;
  #looks = 0;
  #isInTrouble = false;

  constructor(options: AlertMemoryOptions) {
    this.#options = options;
    const { standing, text, fileOf } = options;
    this.#file = fileOf(() => `${JSON.stringify([...standing.told()])}\n`);
    for (const told of text === undefined ? [] : parse(text)) standing.restore(told);
    this.#kept = standing.changes;
  }

  /** Before each look. Never rejects. */
  async looked(): Promise<void> {
    this.#looks += 1;
    const { text, isShared, onUnknown } = this.#options;
    if (this.#looks === LOOKS_UNTIL_KNOWN && (text === undefined || isShared)) onUnknown();
    if (this.#looks === LOOKS_UNTIL_FOUND) this.#options.standing.endUnfound();
    await this.keep();
  }

  async keep(): Promise<void> {
    const { standing, onTrouble } = this.#options;
    const { changes } = standing;
    if (changes === this.#kept) return;
    try {
      await this.#file.keep();
      this.#kept = changes;
      this.#isInTrouble = false;
    } catch (error) {
      if (!this.#isInTrouble) onTrouble(error);
      this.#isInTrouble = true;
    }
  }
}

function parse(text: string): StandingState[] {
  try {
    return (JSON.parse(text) as StandingState[]).filter(
      ({ error, id, since }) =>
        STATE_ERRORS.includes(error as StateError) && Number.isSafeInteger(id) && Number.isFinite(since),
    );
  } catch {
    return [];
  }
}
