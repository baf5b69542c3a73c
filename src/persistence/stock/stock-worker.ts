/**
 * The thread that takes in items, and the texts of orders, so that hashing, comparing, sealing and writing a million
 * of them doesn't hold up a purchase. It shares the file's environment with the main thread, which only reads.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { giveWay } from '../lmdb/background-thread.ts';
import { WriteGate } from '../lmdb/write-gate.ts';
import { OrderTextsWriter } from './delivered/order-texts-writer.ts';
import { WaitingTexts } from './delivered/waiting-texts.ts';
import { openStockFile } from './file/stock-file.ts';
import { StockIntakes } from './intake/stock-intakes.ts';
import type { StockAnswer, StockRequest, StockThreadData } from './stock-messages.ts';
import { stockTexts } from './stock-texts.ts';

const port = parentPort;
if (port === null) throw new Error('stock-worker is a worker thread');
const data = workerData as StockThreadData;
const gate = new WriteGate(data.gate);
const file = gate.pass(() => openStockFile(data.file, data.masterKey, gate));
const texts = stockTexts(file);
const intakes = new StockIntakes(texts);
const orders = new OrderTextsWriter(texts, (productId) => intakes.uploadOf(productId));
const waiting = new WaitingTexts(orders, (requestId, outcome) => say({ kind: 'texts', requestId, outcome }));
giveWay();

function say(answer: StockAnswer): void {
  port?.postMessage(answer);
}

function handle(message: StockRequest): void {
  switch (message.kind) {
    case 'intake': {
      // Those that wait came while it was under way, and know the product's end of then.
      if (message.request.kind === 'close') waiting.writeAll();
      const answer = intakes.handle(message.intakeId, message.request);
      if (answer !== undefined) say({ kind: 'intake', intakeId: message.intakeId, answer });
      return;
    }
    case 'claim': {
      const outcome = orders.claim(message.supplierPurchaseId, message.stock, message.encoded);
      return say({ kind: 'texts', requestId: message.requestId, outcome });
    }
    case 'drop claim':
      return texts.claims.drop(message.supplierPurchaseId);
    case 'texts':
      return waiting.add(message.requestId, message.order);
    case 'remove texts':
      return say({ kind: 'texts', requestId: message.requestId, outcome: orders.remove(message.orderId) });
    case 'close':
      waiting.writeAll();
      port?.close();
      void file.environment.close();
  }
}

port.on('message', handle);
say({ kind: 'ready' });
