/** The thread that has the database: calls come in as messages. Its first message says that the database is open. */
import { parentPort, workerData } from 'node:worker_threads';
import { answerCalls, type ShopCall, type ShopResult } from '../shop-calls.ts';
import { openSqliteShop } from './sqlite-shop.ts';

/** The data that the thread is started with. */
export interface SqliteThreadData {
  readonly folder: string;
  readonly broken: boolean;
}

const { folder, broken } = workerData as SqliteThreadData;
const send = (results: readonly ShopResult[]) => parentPort?.postMessage(results);
const take = answerCalls(openSqliteShop(folder, broken), send);
parentPort?.on('message', (calls: readonly ShopCall[]) => take(calls));
send([]);
