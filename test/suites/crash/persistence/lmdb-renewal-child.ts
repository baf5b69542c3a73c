/**
 * A process of `lmdb-renewal.test.ts`. The main thread writes a row, which fails, then another. Meanwhile one thread
 * reads, one that stands still keeps its handle for a while, and one opens and closes the file over and over: to open it
 * takes a transaction, which waits for the one that fails.
 */

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import {
  isMainThread,
  MessageChannel,
  type MessagePort,
  parentPort,
  Worker,
  workerData,
} from 'node:worker_threads';
import { numberKey } from '../../../../src/persistence/codec/number-key.ts';
import { createEnvironment, openEnvironment } from '../../../../src/persistence/lmdb/lmdb-environment.ts';

const TABLE = 'rows';
const ROW = Buffer.from('row');
const STANDSTILL_MS = 300;
const OPENING_MS = 100;
const COUNTS = 9;

if (isMainThread) await main(process.argv[2] ?? '', process.argv[3] === 'later');
else read(workerData as string);

async function main(file: string, leavesWrites: boolean): Promise<void> {
  await createEnvironment(file, [TABLE]);
  const environment = openEnvironment(file, { leavesWrites });
  const rows = environment.table(TABLE);
  const write = async (key: number) => {
    if (leavesWrites) await rows.put(numberKey(key), ROW);
    else environment.transactionSync(() => rows.putSync(numberKey(key), ROW));
  };
  await write(0);
  const threads: Worker[] = [];
  const startReader = () => {
    const thread = new Worker(new URL(import.meta.url), { workerData: file });
    threads.push(thread);
    return thread;
  };
  const reader = startReader();
  const sleeper = startReader();
  const opener = startReader();
  for (const thread of threads) await count(thread);
  process.send?.('ready');
  await once(process, 'message');
  sleeper.postMessage('stand still');
  opener.postMessage('open often');
  await delay(OPENING_MS / 2);
  const code = await write(1).then(() => 0, codeOf);
  const meanwhile = [opener, ...Array<Worker>(COUNTS).fill(reader)].map(count);
  if (leavesWrites) await environment.renew();
  await write(2);
  await Promise.all(meanwhile);
  environment.resetReadTxn();
  const there = await Promise.all(threads.map(count));
  process.send?.({ code, here: rows.getKeysCount(), there });
  await once(process, 'message');
  for (const thread of threads) await thread.terminate();
  await environment.close();
  process.disconnect();
}

/** Rejects when the thread ends. */
function count(thread: Worker): Promise<number> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve, reject) => {
    thread.once('error', reject);
    port1.once('message', (rows: number) => {
      thread.off('error', reject);
      port1.close();
      resolve(rows);
    });
    thread.postMessage(port2, [port2]);
  });
}

function read(file: string): void {
  let environment = openEnvironment(file);
  let rows = environment.table(TABLE);
  parentPort?.on('message', (order: MessagePort | 'stand still' | 'open often') => {
    if (order === 'stand still') {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STANDSTILL_MS);
      return;
    }
    if (order === 'open often') {
      void environment.close();
      const endMs = performance.now() + OPENING_MS;
      while (performance.now() < endMs) void openEnvironment(file).close();
      environment = openEnvironment(file);
      rows = environment.table(TABLE);
      return;
    }
    environment.resetReadTxn();
    order.postMessage(rows.getKeysCount());
  });
}

async function codeOf(error: { code?: number; commitError?: Promise<unknown> }): Promise<number | undefined> {
  const cause = (await error.commitError?.catch((reason: unknown) => reason)) ?? error;
  return (cause as { code?: number }).code;
}
