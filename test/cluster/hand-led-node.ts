/**
 * A stopped folder of a cluster that a test leads by hand: facts go to the shared log, and then to the folder, as a leader
 * does it.
 */
import { randomBytes } from 'node:crypto';
import { realClock } from '../../src/cluster/cluster-clock.ts';
import { type ClusterFile, readClusterFile, writeClusterFile } from '../../src/cluster/cluster-file.ts';
import { LogFollower } from '../../src/cluster/log-follower.ts';
import { LogWriter } from '../../src/cluster/log-writer.ts';
import type { SharedTable } from '../../src/cluster/shared-table.ts';
import { ByteWriter } from '../../src/persistence/codec/byte-writer.ts';
import { encodeFrame } from '../../src/persistence/journal/journal-frame.ts';
import { openLog } from '../../src/persistence/journal/open-log.ts';
import { Lease } from '../../src/threads/lease.ts';

/** Takes the lead from the folder's place on, has `facts` entries written, and stops as a node does. */
export async function leadByHand(folder: string, table: SharedTable, facts: number): Promise<void> {
  const own = readClusterFile(folder) as ClusterFile;
  const follower = new LogFollower({ table, from: own, take: () => {}, clock: realClock });
  const begun = await follower.lead({ node: own.node, url: 'http://127.0.0.1:1' });
  if (begun === undefined) throw new Error('the lead could not be taken');
  const writer = new LogWriter({
    table,
    term: begun.term,
    begin: begun.entry,
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
  writeClusterFile(folder, { ...own, entry: writer.confirmed, term: begun.term });
}
