/**
 * Works on LMDB files while few file descriptors are left, and when there are plenty again. Prints what came of it.
 * Arguments: an empty folder, how many descriptors are left.
 */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { GENESIS } from '../../../../src/persistence/journal/frame-log.ts';
import { JournalReader } from '../../../../src/persistence/journal/journal-reader.ts';
import { JournalWriter } from '../../../../src/persistence/journal/journal-writer.ts';
import { createLog, logFiles, openLog, openLogReader } from '../../../../src/persistence/journal/open-log.ts';
import {
  createEnvironment,
  isOutOfDescriptors,
  openEnvironment,
} from '../../../../src/persistence/lmdb/lmdb-environment.ts';
import { OUTBOX_FILE, OUTBOX_TABLES } from '../../../../src/persistence/webhooks/outbox-file.ts';
import { OutboxStore } from '../../../../src/persistence/webhooks/outbox-store.ts';
import { account } from '../../../webhooks/outbox/shop-facts.ts';

const [folder = '', left] = process.argv.slice(2);
await createEnvironment(join(folder, 'other.mdb'), ['rows']);
await createEnvironment(join(folder, OUTBOX_FILE), OUTBOX_TABLES);
await createLog(folder);
const store = OutboxStore.open(folder);
// Every frame fills its segment.
const log = openLog(folder, { segmentBytes: 1 });
const journal = new JournalWriter(log);
const reader = new JournalReader(openLogReader(folder), GENESIS);

async function appendAndRead(): Promise<number> {
  await journal.append(log.head.position + 1, [account(log.head.position + 1)]);
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
const starved = { isRefused, position: store.meta().head.position, read: await appendAndRead() };
for (const descriptor of taken) closeSync(descriptor);
const read = await appendAndRead();
console.log(JSON.stringify({ starved, afterwards: { read, segments: logFiles(folder).length } }));
await log.close();
await reader.close();
await store.close();
