/**
 * The outbox's way along the journal: how far it is durable, read, and written, and how far somebody wants it read.
 *
 * Invariant: what is written was read before, and what is read was durable before. The written position is the cursor in
 * the outbox's file, and comes only together with all that the facts up to it gave.
 */
import type { JournalReader } from '../../../persistence/journal/journal-reader.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';

/** Other nodes know how far the journal was read by the cursor in the file. */
const WRITE_MS = 1_000;

export class JournalCursor {
  readonly #journal: Pick<JournalReader, 'head'>;
  #durable: number;
  #written: number;
  #writtenEpoch: number;
  /** To be read without delay: somebody's webhook has changed. */
  #wanted = 0;
  /** Groups are among what was read and isn't on disk. */
  #hasNewGroups = false;
  #groupsAt = 0;
  #closedAtMs = Number.NEGATIVE_INFINITY;

  constructor(store: OutboxStore, journal: Pick<JournalReader, 'head'>) {
    const { position } = store.meta().head;
    this.#journal = journal;
    this.#durable = position;
    this.#written = position;
    this.#writtenEpoch = store.group().epoch;
  }

  get durable(): number {
    return this.#durable;
  }

  get read(): number {
    return this.#journal.head.position;
  }

  get written(): number {
    return this.#written;
  }

  get writtenEpoch(): number {
    return this.#writtenEpoch;
  }

  /** The journal is durable up to here, where a group must end. */
  advance(position: number): void {
    this.#durable = Math.max(this.#durable, position);
  }

  /** Takes a durable position up to which the journal is to be read without delay. */
  want(position: number): void {
    this.advance(position);
    this.#wanted = position;
  }

  /** More was read, which has given groups or hasn't. All that was read before is on disk. */
  gave(hasGroups: boolean): void {
    this.#hasNewGroups = hasGroups;
  }

  /** A batch with what was read is about to be written. */
  closed(nowMs: number): void {
    this.#closedAtMs = nowMs;
  }

  /** The file has this position, and what the facts up to there gave. */
  wrote(position: number, epoch: number): void {
    this.#written = position;
    this.#writtenEpoch = epoch;
    if (this.#hasNewGroups) this.#groupsAt = position;
    this.#hasNewGroups = false;
  }

  /**
   * Groups are on disk up to here: one that comes later has a number of this position at least, where it is behind all that
   * facts give by themselves.
   */
  get settled(): number {
    return this.#hasNewGroups ? this.#written : this.read;
  }

  /** How far the file went when groups came into it last, since the start. */
  get groupsAt(): number {
    return this.#groupsAt;
  }

  /** Whether the journal is durable beyond what was read. */
  get hasUnread(): boolean {
    return this.read < this.#durable;
  }

  /** Somebody waits for what is still unread: a webhook has changed. */
  get isReadingUrgent(): boolean {
    return this.read < this.#wanted;
  }

  /**
   * Whether a changed webhook has been read, and the file's cursor isn't behind it yet: operators' reads wait for that.
   */
  get isWriteWanted(): boolean {
    return this.#written < this.#wanted && !this.isReadingUrgent;
  }

  /** When the cursor is written though there is nothing to write with it; infinite while it needn't be. */
  writeDueAtMs(isStopping: boolean): number {
    if (this.isWriteWanted) return Number.NEGATIVE_INFINITY;
    if (this.read === this.#written) return Number.POSITIVE_INFINITY;
    return isStopping ? Number.NEGATIVE_INFINITY : this.#closedAtMs + WRITE_MS;
  }
}
