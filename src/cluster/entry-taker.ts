/**
 * The taking of the log's entries by a node that follows. Entries that come together go to disk together: a commit
 * takes as long for one frame as for many, and the leader makes nearly as many of them as a disk can sync.
 *
 * Invariant: `place` is one up to which the folder has everything on disk. Rows of texts and webhooks may come in
 * several entries that belong together (a set): amid one, the place stays before it. A term ends the sets of the one
 * before, whose leader can't go on. Everything is done in the order of the log, but for the outbox's rounds: they come
 * behind the facts that they came with. So the outbox is never ahead of the journal, and behind it is where it always
 * may be.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../engine/loop/engine.ts';
import { whenRoom } from '../persistence/disk/disk-room.ts';
import type { FollowedFrames } from './followed-frames.ts';
import type { Place } from './log-follower.ts';
import type { Entry, EntryKind } from './shared-table.ts';

/** While the checkpoint is behind. */
const LOOK_MS = 20;

export interface EntryTakerOptions {
  readonly from: Place;
  readonly engine: Pick<Engine, 'follow' | 'acceptsCommands'>;
  readonly frames: Pick<FollowedFrames, 'take'>;
  /** Takes a part of a set; resolves with whether it was the last one, and all of the set is durable. */
  readonly texts: (part: Buffer) => Promise<boolean>;
  /** Takes parts of several sets; resolves with whether they end with a last one. */
  readonly outbox: (parts: readonly Buffer[]) => Promise<boolean>;
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
    for (const batch of batchesOf(entries)) {
      await this.#takeBatch(batch);
      const last = batch.at(-1);
      if (last === undefined || this.#open.texts || this.#open.outbox) continue;
      this.#place = { entry: last.number, term: last.term };
    }
  };

  async #takeBatch(batch: readonly Entry[]): Promise<void> {
    const { texts, outbox, keys } = this.#options;
    const of = (kind: EntryKind) => batch.filter((entry) => entry.kind === kind).map(({ bytes }) => bytes);
    if (of('term').length > 0) this.#open.texts = this.#open.outbox = false;
    for (const part of of('texts')) this.#open.texts = !(await texts(part));
    for (const text of of('keys')) keys(text.toString());
    const [frames, parts] = [of('facts'), of('outbox')];
    if (frames.length > 0) await this.#takeFrames(frames);
    if (parts.length > 0) this.#open.outbox = !(await outbox(parts));
  }

  async #takeFrames(taken: readonly Buffer[]): Promise<void> {
    const { engine, frames, onFull } = this.#options;
    while (!engine.acceptsCommands) await delay(LOOK_MS);
    const groups = await whenRoom(
      () => frames.take(taken),
      () => false,
      (_, failures) => failures === 1 && onFull(),
    );
    for (const facts of groups) engine.follow(facts);
  }
}

/** Facts and the outbox's rounds that follow each other are a batch, and so is every other entry. */
function batchesOf(entries: readonly Entry[]): Entry[][] {
  const batches: Entry[][] = [];
  let isOpen = false;
  for (const entry of entries) {
    const isShared = entry.kind === 'facts' || entry.kind === 'outbox';
    if (isShared && isOpen) batches.at(-1)?.push(entry);
    else batches.push([entry]);
    isOpen = isShared;
  }
  return batches;
}
