/**
 * What a node that follows does with each entry of the log, in the order of the log. Frames of facts that follow each other
 * are taken together.
 *
 * What always holds: `place` is one up to which the folder has everything on disk. Rows of texts and webhooks may come in
 * several entries that belong together (a set): amid one, the place stays before it. A term ends the sets of the one
 * before, whose leader can't go on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';
import { JournalFullError } from '../engine/journal.ts';
import type { FollowedFrames } from './followed-frames.ts';
import type { Place } from './log-follower.ts';
import type { Entry } from './shared-table.ts';

/** While the checkpoint is behind. */
const LOOK_MS = 20;
const NO_ROOM_MS = 1_000;

/** Takes a part of a set; resolves with whether it was the last one, and all of the set is durable. */
type TakeRows = (bytes: Buffer) => Promise<boolean>;

export interface EntryTakerOptions {
  readonly from: Place;
  readonly engine: Pick<Engine, 'follow' | 'acceptsCommands'>;
  readonly frames: Pick<FollowedFrames, 'take'>;
  readonly texts: TakeRows;
  readonly outbox: TakeRows;
  /** The key ring, durable when it returns. */
  readonly keys: (text: string) => void;
  /** The folder has no room: the log waits. Told once for each time. */
  readonly onFull: () => void;
}

export class EntryTaker {
  readonly #options: EntryTakerOptions;
  #place: Place;
  /** Sets that have begun and not ended. */
  readonly #open = { texts: false, outbox: false };

  constructor(options: EntryTakerOptions) {
    this.#options = options;
    this.#place = options.from;
  }

  get place(): Place {
    return this.#place;
  }

  readonly take = async (entries: readonly Entry[]): Promise<void> => {
    let frames: Buffer[] = [];
    for (const [index, entry] of entries.entries()) {
      const { number, term, kind, bytes } = entry;
      if (kind === 'facts') {
        frames.push(bytes);
        if (entries[index + 1]?.kind === 'facts') continue;
        await this.#takeFrames(frames);
        frames = [];
      } else await this.#takeOther(entry);
      if (!this.#open.texts && !this.#open.outbox) this.#place = { entry: number, term };
    }
  };

  async #takeOther({ kind, bytes }: Entry): Promise<void> {
    if (kind === 'term') this.#open.texts = this.#open.outbox = false;
    if (kind === 'texts' || kind === 'outbox') this.#open[kind] = !(await this.#options[kind](bytes));
    if (kind === 'keys') this.#options.keys(bytes.toString());
  }

  async #takeFrames(taken: readonly Buffer[]): Promise<void> {
    const { engine, frames, onFull } = this.#options;
    while (!engine.acceptsCommands) await delay(LOOK_MS);
    for (let isTold = false; ; isTold = true) {
      try {
        for (const facts of await frames.take(taken)) engine.follow(facts);
        return;
      } catch (error) {
        if (!(error instanceof JournalFullError)) throw error;
        if (!isTold) onFull();
        await delay(NO_ROOM_MS);
      }
    }
  }
}
