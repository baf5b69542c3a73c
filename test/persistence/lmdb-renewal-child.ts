/** A process of `lmdb-renewal.test.ts`: two threads with one file, of which one writes a row that fails, then another. */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import {
  createEnvironment,
  numberKey,
  openEnvironment,
} from '../../src/persistence/lmdb/lmdb-environment.ts';

const TABLE = 'rows';
const ROW = Buffer.from('row');

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
  const reader = new Worker(new URL(import.meta.url), { workerData: file });
  const count = async () => {
    const counted = once(reader, 'message');
    reader.postMessage('count');
    return (await counted)[0] as number;
  };
  await count();
  process.send?.('ready');
  await once(process, 'message');
  const code = await write(1).then(() => 0, codeOf);
  if (leavesWrites) await environment.renew();
  await write(2);
  environment.resetReadTxn();
  process.send?.({ code, here: rows.getKeysCount(), there: await count() });
  await once(process, 'message');
  await reader.terminate();
  await environment.close();
  process.disconnect();
}

function read(file: string): void {
  const environment = openEnvironment(file);
  const rows = environment.table(TABLE);
  parentPort?.on('message', () => {
    environment.resetReadTxn();
    parentPort?.postMessage(rows.getKeysCount());
  });
}

async function codeOf(error: { code?: number; commitError?: Promise<unknown> }): Promise<number | undefined> {
  const cause = (await error.commitError?.catch((reason: unknown) => reason)) ?? error;
  return (cause as { code?: number }).code;
}
