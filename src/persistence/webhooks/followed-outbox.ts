/**
 * `webhooks.mdb` of a node that follows: it has the rows that the leader's outbox wrote, and derives nothing itself.
 *
 * Invariant: a pass of the outbox is applied as a whole, passes that come together in one transaction, so cursor,
 * events and what finds them belong together. The leader ships a pass before it writes it, so no folder is ahead of
 * the log.
 */
import { dirname } from 'node:path';
import { retry } from '../../shared/retry.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { RoomForWrite } from '../disk/disk-room.ts';
import { type RowChange, RowSets } from '../shipping/row-changes.ts';
import { type OutboxFile, type OutboxTable, openOutboxFile, roomOf } from './outbox-file.ts';

const NO_ROOM_MS = 1_000;

export class OutboxRows {
  readonly #file: OutboxFile;
  readonly #sets = new RowSets();
  #isClosed = false;

  private constructor(file: OutboxFile) {
    this.#file = file;
  }

  /** The rows of a folder that has the file, in which nobody else writes to it. */
  static open(folder: string): OutboxRows {
    return new OutboxRows(openOutboxFile(folder));
  }

  /**
   * Applies parts of what the leader has shipped, in the order of the log; they may be given again, with all behind
   * them. Resolves with whether the last one ended its set, and all is durable then: a reader that begins anew must
   * begin behind such a part. Waits for room on the disk. Rejects with `DamagedDataError`, and with what LMDB throws.
   */
  apply(parts: readonly Uint8Array[]): Promise<boolean> {
    const folder = dirname(this.#file.environment.file);
    let room: RoomForWrite;
    const take = () => {
      room = new RoomForWrite(folder, 0);
      return this.#sets.take(parts, (changes) => {
        room = new RoomForWrite(folder, roomOf(changes));
        this.#write(changes);
      });
    };
    return retry(take, {
      pauseMs: NO_ROOM_MS,
      mayHelp: (error) => !this.#isClosed && room.isWantedBy(error),
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#file.environment.close();
  }

  #write(changes: readonly RowChange[]): void {
    const { environment, tables } = this.#file;
    environment.transactionSync(() => {
      for (const { table, key, row } of changes) {
        if (!Object.hasOwn(tables, table)) throw new DamagedDataError(`webhooks.mdb has no table ${table}`);
        const changed = tables[table as OutboxTable];
        if (row === null) changed.removeSync(key);
        else changed.putSync(key, row);
      }
    });
    environment.resetReadTxn();
  }
}
