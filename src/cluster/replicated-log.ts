/**
 * The journal of a cluster's node. While it follows, it is the folder's own log, and nothing is appended here. A
 * leader's frame is durable when the shared log has it, and the folder's own log follows.
 *
 * Invariant: the folder's log is never ahead of the shared one, and lacks of it what is on its way only. An `append`
 * resolves when the frame is confirmed; readers of the folder (fold, outbox, feed) see it a moment later, when
 * `onMirrored` says so. Readers of this object see it at once.
 *
 * A folder without room holds up the mirror and not the shared log, until too much waits: then frames are refused before
 * they are written anywhere, as those of a full disk are.
 */

import { JournalFullError } from '../engine/loop/journal.ts';
import { whenRoom } from '../persistence/disk/disk-room.ts';
import type { FolderLog, FrameLog, LogHead } from '../persistence/journal/frame-log.ts';
import { extentOf, frameHash, lastBehind } from '../persistence/journal/journal-frame.ts';
import type { LogWriter } from './log-writer.ts';

/** The most bytes of frames that are confirmed and not in the folder. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** In one commit of the folder. A mirror that has fallen behind would stay there if each had its own. */
const MAX_FRAMES = 64;

export interface ReplicatedLogOptions {
  /** The writer of a node that leads from the beginning on. */
  readonly writer?: Pick<LogWriter, 'append'>;
  /** The folder's own. */
  readonly local: FolderLog;
  /** The folder has the facts up to this one. */
  readonly onMirrored: (position: number) => void;
  /** The folder's log failed: nobody knows what it has. */
  readonly onFatal: (error: unknown) => void;
}

export class ReplicatedLog implements FrameLog {
  readonly #options: ReplicatedLogOptions;
  /** Undefined while this node follows. */
  #writer: ReplicatedLogOptions['writer'];
  #head: LogHead | undefined;
  #waiters: { readonly position: number; readonly tell: () => void }[] = [];
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #mirroring: Promise<void> | undefined;

  constructor(options: ReplicatedLogOptions) {
    this.#options = options;
    if (options.writer !== undefined) this.lead(options.writer);
  }

  get head(): LogHead {
    return this.#head ?? this.#options.local.head;
  }

  /** The folder's log ends where the shared log's facts end: from here on this node writes both. */
  lead(writer: Pick<LogWriter, 'append'>): void {
    this.#writer = writer;
    this.#head = this.#options.local.head;
  }

  async append(frame: Buffer): Promise<void> {
    const last = lastBehind(this.head.position, [frame]);
    if (this.#writer === undefined) throw new Error('a node that follows appends nothing');
    if (this.#waitingBytes >= MAX_WAITING_BYTES) throw new JournalFullError();
    // The caller's memory is used again for the next frame.
    const copy = Buffer.from(frame);
    const appended = this.#writer.append('facts', copy);
    const hash = frameHash(copy);
    await appended;
    this.#head = { position: last, hash };
    this.#waiting.push(copy);
    this.#waitingBytes += copy.length;
    this.#mirroring ??= this.#mirror().catch(this.#options.onFatal);
  }

  *read(position: number): IterableIterator<Buffer> {
    // A commit may be on disk before the folder's log says so.
    let mirrored = position;
    for (const frame of this.#options.local.read(position)) {
      mirrored = extentOf(frame).last;
      yield frame;
    }
    for (const frame of this.#waiting) if (extentOf(frame).last > mirrored) yield frame;
  }

  get isMirrored(): boolean {
    return this.#waiting.length === 0;
  }

  /** The folder has everything that was appended. */
  async mirrored(): Promise<void> {
    await this.#mirroring;
  }

  /** The folder has the facts up to this one, which must have been appended. */
  async mirroredThrough(position: number): Promise<void> {
    if (this.#options.local.head.position >= position) return;
    await new Promise<void>((tell) => this.#waiters.push({ position, tell }));
  }

  async close(): Promise<void> {
    await this.mirrored();
    await this.#options.local.close();
  }

  async #mirror(): Promise<void> {
    const { local, onMirrored } = this.#options;
    while (this.#waiting.length > 0) {
      const frames = this.#waiting.slice(0, MAX_FRAMES);
      await whenRoom(() => local.append(...frames));
      this.#waiting.splice(0, frames.length);
      for (const { length } of frames) this.#waitingBytes -= length;
      onMirrored(local.head.position);
      this.#tellWaiters(local.head.position);
    }
    this.#mirroring = undefined;
  }

  #tellWaiters(mirrored: number): void {
    if (this.#waiters.length === 0) return;
    const isThere = ({ position }: { readonly position: number }) => position <= mirrored;
    for (const { tell } of this.#waiters.filter(isThere)) tell();
    this.#waiters = this.#waiters.filter((waiter) => !isThere(waiter));
  }
}
