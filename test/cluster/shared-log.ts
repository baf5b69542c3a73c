/** A shared log with a leader who writes to it, for tests of what stands above. */
import { realClock } from '../../src/cluster/cluster-clock.ts';
import { LogWriter } from '../../src/cluster/log-writer.ts';
import { PostgresTable, SCHEMA } from '../../src/cluster/postgres/postgres-table.ts';
import { parseLogUrl } from '../../src/cluster/postgres/postgres-url.ts';
import type { SharedTable } from '../../src/cluster/shared-table.ts';
import { JournalFullError } from '../../src/engine/journal.ts';
import { Lease } from '../../src/threads/lease.ts';
import { PostgresRig } from '../support/postgres-rig.ts';
import { SimulatedDatabase } from './simulated-table.ts';

export interface SharedLogUnderTest {
  readonly writer: LogWriter;
  /** Runs what finds no room in the shared log. */
  withoutRoom(append: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export async function simulatedSharedLog(): Promise<SharedLogUnderTest> {
  const database = new SimulatedDatabase();
  const writer = await leaderOf(database.open());
  return {
    writer,
    withoutRoom: async (append) => {
      database.isFull = true;
      try {
        await append();
      } finally {
        database.isFull = false;
      }
    },
    close: async () => writer.close(),
  };
}

export async function postgresSharedLog(): Promise<SharedLogUnderTest> {
  const rig = await PostgresRig.start();
  await rig.ask(0, SCHEMA);
  const table = new PostgresTable({ url: parseLogUrl(rig.url), password: undefined, node: 'a' });
  const writer = await leaderOf(table);
  return {
    writer,
    // Its disk is this machine's, which nobody fills for a test.
    withoutRoom: async () => {
      throw new JournalFullError();
    },
    close: async () => {
      writer.close();
      await table.close();
      await rig.close();
    },
  };
}

async function leaderOf(table: SharedTable): Promise<LogWriter> {
  await table.insert([{ number: 1, term: 1, kind: 'term', confirmed: 0, bytes: Buffer.from('{}') }], 0);
  return new LogWriter({
    table,
    term: 1,
    begin: 1,
    lease: new Lease(),
    clock: realClock,
    onFenced: (error) => {
      throw error;
    },
  });
}
