/**
 * Proves that the rows of `webhooks.mdb` fit together, and the journal: every event has the rows that its status
 * asks for, no row is of an event that isn't there, and the cursor names a frame that the journal has.
 */
import { DamagedDataError } from '../codec/byte-reader.ts';
import { numbersKey, readNumberKey } from '../codec/number-key.ts';
import { JournalReader } from '../journal/journal-reader.ts';
import { openLogReader } from '../journal/open-log.ts';
import { decodeEvent, EVENT_STATUSES, type EventStatus, isGroup, type OutboxEvent } from './event-row.ts';
import { readBlock } from './groups/group-block.ts';
import { GroupReader } from './groups/group-reader.ts';
import { type OutboxTable, readRow, readRows } from './outbox-file.ts';
import { dueKeyOf } from './outbox-rows.ts';
import { OutboxStore } from './outbox-store.ts';

/** One line about what was found. Throws `DamagedDataError`. The folder's node must be stopped. */
export async function verifyOutbox(folder: string): Promise<string> {
  const store = OutboxStore.open(folder);
  const { head, counters } = store.meta();
  const journal = new JournalReader(openLogReader(folder), head);
  try {
    journal.checkHead('webhooks.mdb goes');
    const found = new OutboxCheck(store).run();
    if (found.pending !== counters.pending) {
      throw new DamagedDataError(
        `${found.pending} events are pending, but the counter says ${counters.pending}`,
      );
    }
    const counts = EVENT_STATUSES.map((status) => `${found[status]} ${status}`);
    return `webhooks: ${found.all} events (${counts.join(', ')}), read up to fact ${head.position}`;
  } finally {
    await journal.close();
    await store.close();
  }
}

class OutboxCheck {
  readonly #store: OutboxStore;
  readonly #found = { all: 0, pending: 0, delivered: 0, discarded: 0, cancelled: 0 };
  readonly #groups: GroupReader;
  readonly #goneBelow: number;
  #due = 0;
  #attempts = 0;

  constructor(store: OutboxStore) {
    this.#store = store;
    this.#groups = new GroupReader(store);
    this.#goneBelow = store.goneBelow();
  }

  run(): Readonly<Record<EventStatus | 'all', number>> {
    for (const { key, payload } of readRows(this.#store.file, 'events')) this.#add(decodeEvent(key, payload));
    this.#proveGroups();
    this.#expectRows('due', this.#due);
    this.#expectRows('attempts', this.#attempts);
    return this.#found;
  }

  #add(event: OutboxEvent): void {
    const { accountId, number, status, loggedAttempts, firstAttempt } = event;
    const due = dueKeyOf(event);
    this.#found.all += 1;
    this.#found[status] += 1;
    if (due !== undefined) {
      this.#expect(event, 'due', due);
      this.#due += 1;
    }
    if (loggedAttempts > 0 !== (firstAttempt !== undefined)) {
      throw new DamagedDataError(
        `event ${number} of account ${accountId} has attempts, but the first one is missing`,
      );
    }
    for (let attempt = 2; attempt <= loggedAttempts; attempt += 1) {
      this.#attempts += 1;
      this.#expect(event, 'attempts', numbersKey(accountId, number, attempt));
    }
    if (!isGroup(number) || number < this.#goneBelow) return;
    const { productIds = [] } = this.#groups.told(accountId, number) ?? {};
    if (productIds.length === 0)
      throw new DamagedDataError(`the products of event ${number} of account ${accountId} are missing`);
  }

  /** Numbers of a stream rise, from block to block and inside of them. */
  #proveGroups(): void {
    let [stream, last] = ['', 0];
    for (const { key, payload } of readRows(this.#store.file, 'groups')) {
      const own = key.toString('hex', 0, 16);
      if (own !== stream) [stream, last] = [own, 0];
      for (const { number } of readBlock(payload, readNumberKey(key, 16))) {
        if (!isGroup(number) || number <= last)
          throw new DamagedDataError(`the group ${number} of webhooks.mdb is out of its order`);
        last = number;
      }
    }
  }

  #expect({ accountId, number }: OutboxEvent, table: OutboxTable, key: Buffer): void {
    if (readRow(this.#store.file, table, key) !== undefined) return;
    throw new DamagedDataError(`event ${number} of account ${accountId} has no row in table ${table}`);
  }

  #expectRows(table: OutboxTable, expected: number): void {
    const found = this.#store.file.tables[table].getKeysCount({});
    if (found !== expected) {
      throw new DamagedDataError(`table ${table} of webhooks.mdb has ${found} rows instead of ${expected}`);
    }
  }
}
