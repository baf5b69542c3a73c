/**
 * The thread that takes in items, and the texts of orders, so that hashing, sealing and writing a million of them doesn't hold up a
 * purchase. It shares the file's environment with the main thread, which only reads.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { WriteGate } from '../lmdb/write-gate.ts';
import { writeOrderTexts } from './order-texts.ts';
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

function say(answer: StockAnswer): void {
  port?.postMessage(answer);
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
    port.close();
    void file.environment.close();
    return;
  }
  if (message.kind === 'texts') {
    const { orderId, encoded } = message;
    say({ kind: 'texts', orderId, failure: failureOf(() => writeOrderTexts(file, orderId, encoded)) });
    return;
  }
  const answer = desk.handle(message.intakeId, message.request);
  if (answer !== undefined) say({ kind: 'intake', intakeId: message.intakeId, answer });
});
say({ kind: 'ready' });
