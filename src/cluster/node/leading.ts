/**
 * The time in which a node of a cluster leads: it writes the log, holds the lease, and has opened the parts that act.
 *
 * Invariant: nothing acts, and nobody is answered, before the lease is held; the parts that act begin requests only
 * while it is held. The end of the log's term is the last thing that is written.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type ActingParts, openActingParts } from '../../node/acting.ts';
import type { FolderParts, NodeOptions } from '../../node/data-folder.ts';
import type { StateParts } from '../../node/state.ts';
import { WebhookParts } from '../../node/webhooks.ts';
import { whenRoom } from '../../persistence/disk/disk-room.ts';
import { Lease } from '../../threads/lease.ts';
import { realClock } from '../cluster-clock.ts';
import type { ClusterError } from '../cluster-error.ts';
import type { Begun, Place } from '../log-follower.ts';
import { LogWriter } from '../log-writer.ts';
import type { ReplicatedLog } from '../replicated-log.ts';
import type { SharedTable } from '../shared-table.ts';

const LOOK_MS = 5;
/** The longest waits for answers and for the log's last entry at the end of a term. Neither waits for a disk. */
const ANSWERS_MS = 300;
const LAST_ENTRY_MS = 1_000;

export interface LeadingOptions {
  readonly table: SharedTable;
  readonly begun: Begun;
  readonly journal: ReplicatedLog;
  readonly onFenced: (error: ClusterError) => void;
}

export class Leading {
  readonly lease = new Lease();
  readonly term: number;
  readonly writer: LogWriter;
  readonly #journal: ReplicatedLog;
  #webhooks: WebhookParts | undefined;
  #place: Place;

  constructor({ table, begun, journal, onFenced }: LeadingOptions) {
    this.term = begun.term;
    this.#place = begun;
    this.#journal = journal;
    const { lease } = this;
    this.writer = new LogWriter({
      table,
      term: begun.term,
      begin: begun.entry,
      lease,
      clock: realClock,
      onFenced,
    });
  }

  /** `webhooks.mdb` must be nobody's. Rejects when it doesn't belong to the journal. */
  async open(options: NodeOptions, folder: FolderParts, state: StateParts): Promise<ActingParts> {
    const { lease, writer } = this;
    this.#journal.lead(writer);
    while (!lease.isHeld) await delay(LOOK_MS);
    const shipRing = (text: Buffer) => writer.append('keys', text);
    folder.ring.shareBy((text) => whenRoom(() => shipRing(text)));
    const ship = (bytes: Buffer) => writer.append('outbox', bytes);
    const webhooks = await WebhookParts.start({ ...options, ...folder, lease, ship });
    this.#webhooks = webhooks;
    return await openActingParts(folder, state, webhooks, { ...options, lease });
  }

  /** The last place up to which the folder was seen to have everything. */
  place({ stock }: FolderParts): Place {
    const isWhole = this.#journal.isMirrored && !stock.isShipping && this.#webhooks?.isShipping === false;
    if (isWhole) this.#place = { entry: this.writer.confirmed, term: this.term };
    return this.#place;
  }

  /**
   * Answers what is under way, and ends the term. Nothing leaves afterwards. Answers of suppliers are waited for:
   * otherwise the items that they sold would be nobody's, as the next leader sees no order of them.
   */
  async end({ engine }: StateParts, suppliers: ActingParts['suppliers'] | undefined): Promise<void> {
    await within(ANSWERS_MS, engine.idle());
    await suppliers?.drain();
    await within(ANSWERS_MS, engine.idle());
    await within(LAST_ENTRY_MS, this.writer.end());
    this.lease.end();
    await within(LAST_ENTRY_MS, this.#journal.mirrored());
  }
}

/** Waits so long at most; what fails is as good as what is late. */
export async function within(ms: number, done: Promise<unknown>): Promise<void> {
  await Promise.race([done.catch(() => {}), delay(ms, undefined, { ref: false })]);
}
