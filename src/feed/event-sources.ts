/**
 * Sources of pages of events in the thread that makes them: the checkpoint, open while somebody asks, the groups, and the
 * first fact that is kept.
 *
 * The checkpoint is read as of what the main thread has folded, or later: rows of facts behind that are passed over, for the
 * main thread names these. Its files are let go of when nobody has asked for a while: what merges took the place of would
 * stay on disk.
 */
import type { Epoch } from '../engine/recovery/epochs.ts';
import { openCheckpoint } from '../persistence/checkpoint/checkpoint.ts';
import type { LogReader } from '../persistence/journal/frame-log.ts';
import { lastFactBefore } from '../persistence/journal/time-search.ts';
import type { StoreReader } from '../persistence/store/store-reader.ts';
import { GroupReader } from '../persistence/webhooks/groups/group-reader.ts';
import { OutboxStore } from '../persistence/webhooks/outbox-store.ts';
import type { WriteGate } from '../threads/write-gate.ts';
import type { EventSource } from './account-events.ts';
import type { EventQuestion } from './event-question.ts';

const IDLE_MS = 30_000;
/** Facts are kept for so much longer: where they begin is looked for as seldom. */
const KEPT_LONGER_MS = 3_600_000;

export class EventSources {
  readonly #folder: string;
  readonly #epochs: readonly Epoch[];
  readonly #gate: WriteGate;
  #store: StoreReader | undefined;
  #outbox: { readonly store: OutboxStore; readonly groups: GroupReader } | undefined;
  #folded = 0;
  #idle: NodeJS.Timeout | undefined;
  #kept = { fromMs: Number.NEGATIVE_INFINITY, position: 1 };

  /** `gate`: the thread's. */
  constructor(folder: string, epochs: readonly Epoch[], gate: WriteGate) {
    this.#gate = gate;
    this.#folder = folder;
    this.#epochs = epochs;
  }

  /** Valid in this turn of the event loop. Throws `DamagedFileError`. */
  for(log: LogReader, question: EventQuestion): EventSource {
    return {
      log,
      epochs: this.#epochs,
      store: this.#openStore(question.folded),
      kept: this.#firstKept(log, question),
      groups: question.hasGroups ? this.#openGroups() : undefined,
    };
  }

  async close(): Promise<void> {
    this.#closeStore();
    await this.#outbox?.store.close();
  }

  #closeStore(): void {
    clearTimeout(this.#idle);
    this.#store?.close();
    this.#store = undefined;
  }

  #openStore(folded: number): StoreReader {
    if (this.#store === undefined) this.#store = openCheckpoint(this.#folder);
    else if (folded !== this.#folded) this.#store.refresh();
    this.#folded = folded;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#closeStore(), IDLE_MS).unref();
    return this.#store;
  }

  #openGroups(): EventSource['groups'] {
    if (this.#outbox === undefined) {
      const store = OutboxStore.open(this.#folder, this.#gate);
      this.#outbox = { store, groups: new GroupReader(store) };
    } else this.#outbox.store.refresh();
    const { store, groups } = this.#outbox;
    return {
      goneBelow: store.goneBelow(),
      behind: (accountId, number) => groups.behind(accountId, number),
      told: (accountId, number) => groups.told(accountId, number),
      newest: (accountId, number) => groups.newest(accountId, number),
    };
  }

  #firstKept(log: LogReader, { keptFromMs, through }: EventQuestion): number {
    if (keptFromMs - this.#kept.fromMs >= KEPT_LONGER_MS)
      this.#kept = { fromMs: keptFromMs, position: lastFactBefore(log, through, keptFromMs) + 1 };
    return this.#kept.position;
  }
}
