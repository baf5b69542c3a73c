/** A shared log, simulated, with a leader who writes to it, for tests of what stands above. */
import { realClock } from '../../src/cluster/cluster-clock.ts';
import { LogWriter } from '../../src/cluster/log-writer.ts';
import { Lease } from '../../src/threads/lease.ts';
import { SimulatedDatabase } from './simulated-table.ts';

export interface SharedLogUnderTest {
  readonly writer: LogWriter;
  /** Runs what finds no room in the shared log. */
  withoutRoom(append: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export async function simulatedSharedLog(): Promise<SharedLogUnderTest> {
  const database = new SimulatedDatabase();
  const table = database.open();
  await table.insert([{ number: 1, term: 1, kind: 'term', confirmed: 0, bytes: Buffer.from('{}') }], 0);
  const onFenced = (error: Error) => {
    throw error;
  };
  const writer = new LogWriter({ table, term: 1, begin: 1, lease: new Lease(), clock: realClock, onFenced });
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
