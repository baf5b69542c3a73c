/**
 * The thread that takes in items, and the texts of orders, so that hashing, sealing and writing a million of them doesn't hold up a
 * purchase. It shares the file's environment with the main thread, which only reads.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { giveWay } from '../lmdb/background-thread.ts';
import { WriteGate } from '../lmdb/write-gate.ts';
import { type OrderTexts, writeOrderTexts } from './order-texts.ts';
import type { SentError } from './stock-errors.ts';
import { openStockFile } from './stock-file.ts';
import { IntakeDesk } from './stock-intake-desk.ts';
import type { StockAnswer, StockRequest, StockThreadData } from './stock-messages.ts';
import { sentFailure } from './write-failure.ts';

const port = parentPort;
if (port === null) throw new Error('stock-worker is a worker thread');
const data = workerData as StockThreadData;
const gate = new WriteGate(data.gate);
const file = gate.pass(() => openStockFile(data.file, data.masterKey, gate));
const desk = new IntakeDesk(file);
giveWay();

function say(answer: StockAnswer): void {
  port?.postMessage(answer);
}

/** Deliveries come by the hundred when a supplier has been slow: what came together is synced to disk once. */
let waiting: OrderTexts[] = [];

function writeWaiting(): void {
  const deliveries = waiting;
  if (deliveries.length === 0) return;
  waiting = [];
  const failure = failureOf(() => writeOrderTexts(file, deliveries));
  for (const { orderId } of deliveries) say({ kind: 'texts', orderId, failure });
}

function failureOf(write: () => void): SentError | undefined {
  try {
    write();
    return undefined;
  } catch (error) {
    return sentFailure(file, error);
  }
}

port.on('message', (message: StockRequest) => {
  if (message.kind === 'close') {
    writeWaiting();
    port.close();
    void file.environment.close();
    return;
  }
  if (message.kind === 'texts') {
    if (waiting.length === 0) setImmediate(writeWaiting);
    waiting.push(message);
    return;
  }
  const answer = desk.handle(message.intakeId, message.request);
  if (answer !== undefined) say({ kind: 'intake', intakeId: message.intakeId, answer });
});
say({ kind: 'ready' });
