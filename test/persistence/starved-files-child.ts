/**
 * Works on LMDB files while few file descriptors are left, and when there are plenty again. Prints what came of it.
 * Arguments: an empty folder, how many descriptors are left.
 */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { GENESIS_HASH } from '../../src/persistence/journal/journal-frame.ts';
import { JournalReader } from '../../src/persistence/journal/journal-reader.ts';
import { createSegment, listSegments } from '../../src/persistence/journal/journal-segments.ts';
import { LmdbJournal } from '../../src/persistence/journal/lmdb-journal.ts';
import {
  createEnvironment,
  isOutOfDescriptors,
  openEnvironment,
} from '../../src/persistence/lmdb/lmdb-environment.ts';
import { OUTBOX_FILE, OUTBOX_TABLES } from '../../src/persistence/webhooks/outbox-file.ts';
import { OutboxStore } from '../../src/persistence/webhooks/outbox-store.ts';
import { account } from '../webhooks/outbox/shop-facts.ts';

const [folder = '', left] = process.argv.slice(2);
const head = { position: 0, hash: GENESIS_HASH };
await createEnvironment(join(folder, 'other.mdb'), ['rows']);
await createEnvironment(join(folder, OUTBOX_FILE), OUTBOX_TABLES);
await createSegment(folder, 1);
const store = OutboxStore.open(folder);
// Every frame fills its segment.
const journal = LmdbJournal.open({ folder, head, segmentFirstSequence: 1, segmentBytes: 1 });
const reader = new JournalReader(folder, head);

async function appendAndRead(): Promise<number> {
  await journal.append(journal.head.position + 1, [account(journal.head.position + 1)]);
  return [...reader.read()].length;
}

await appendAndRead();
const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  for (const descriptor of taken.splice(0, Number(left))) closeSync(descriptor);
}
let isRefused = false;
try {
  openEnvironment(join(folder, 'other.mdb'));
} catch (error) {
  isRefused = isOutOfDescriptors(error);
}
store.reopen();
const starved = { isRefused, position: store.meta().head.position, read: await appendAndRead() };
for (const descriptor of taken) closeSync(descriptor);
store.reopen();
const read = await appendAndRead();
console.log(JSON.stringify({ starved, afterwards: { read, segments: listSegments(folder).length } }));
await journal.close();
await reader.close();
await store.close();
