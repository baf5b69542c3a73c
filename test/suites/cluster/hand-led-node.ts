/**
 * A stopped folder of a cluster that a test leads by hand: facts go to the shared log, and then to the folder, as a leader
 * does it.
 */
import { randomBytes } from 'node:crypto';
import { realClock } from '../../../src/cluster/cluster-clock.ts';
import { type ClusterFile, readClusterFile, writeClusterFile } from '../../../src/cluster/cluster-file.ts';
import { LogWriter } from '../../../src/cluster/log-writer.ts';
import type { SharedTable } from '../../../src/cluster/shared-table.ts';
import { ByteWriter } from '../../../src/persistence/codec/byte-writer.ts';
import { encodeFrame } from '../../../src/persistence/journal/journal-frame.ts';
import { openLog } from '../../../src/persistence/journal/open-log.ts';
import { Lease } from '../../../src/threads/lease.ts';

/** Takes the lead from the folder's place on, has `facts` entries written, and stops as a node does. */
export async function leadByHand(folder: string, table: SharedTable, facts: number): Promise<void> {
  const own = readClusterFile(folder) as ClusterFile;
  const [newest = own] = (await table.read(own.entry - 1, 64)).slice(-1).map(({ number, term }) => {
    return { entry: number, term };
  });
  const begin = newest.entry + 1;
  const term = newest.term + 1;
  const bytes = Buffer.from(JSON.stringify({ node: own.node, url: 'http://127.0.0.1:1' }));
  const entry = { number: begin, term, kind: 'term', confirmed: newest.entry, bytes } as const;
  const inserted = await table.insert([entry], newest.term);
  if (inserted !== 'confirmed') throw new Error(`the lead could not be taken: ${inserted}`);
  const writer = new LogWriter({
    table,
    term,
    begin,
    lease: new Lease(),
    clock: realClock,
    onFenced: (error) => {
      throw error;
    },
  });
  const log = openLog(folder);
  try {
    for (let fact = 0; fact < facts; fact += 1) {
      const { position, hash } = log.head;
      const windowMs = randomBytes(2).readUInt16LE();
      const closed = { kind: 'EventGroupClosed', atMs: Date.now(), windowMs } as const;
      const frame = encodeFrame(new ByteWriter(), position + 1, [closed], hash);
      await writer.append('facts', frame);
      await log.append(frame);
    }
    await writer.append('end', Buffer.alloc(0));
  } finally {
    await log.close();
    writer.close();
  }
  writeClusterFile(folder, { ...own, entry: writer.confirmed, term });
}
