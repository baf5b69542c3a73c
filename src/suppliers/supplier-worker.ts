/** The thread that asks suppliers. It ends with the process, or when it is told to, whatever is under way. */
import { parentPort, workerData } from 'node:worker_threads';
import { MAX_HELD_SUPPLIES } from '../engine/limits.ts';
import type { Supplier } from '../engine/suppliers.ts';
import { HostResolver } from '../outgoing/host-resolver.ts';
import { giveWay } from '../persistence/lmdb/background-thread.ts';
import { HttpSupplier } from './http-supplier.ts';
import type { SupplierReply, SupplierRequest, SupplierThreadData } from './supplier-messages.ts';
import { SupplierSecrets } from './supplier-secrets.ts';

const port = parentPort;
if (port === null) throw new Error('supplier-worker is a worker thread');
const { masterKey, timeoutMs, dnsServer } = workerData as SupplierThreadData;
giveWay();

/**
 * An answer waits for others, the longer the more purchases are under way: what comes together is committed together, and
 * the main thread is interrupted once. A lone answer doesn't wait, and the wait is little beside that of thousands.
 */
const UNDER_WAY_PER_GATHERING_MS = 40;
const MAX_GATHERING_MS = 50;

/** The latest that the main thread said of each; as many as there are suppliers. */
const suppliers = new Map<number, Supplier>();
const client = new HttpSupplier({
  suppliers: () => suppliers,
  secrets: new SupplierSecrets(masterKey),
  // All purchases may need a connection in the same moment.
  resolver: HostResolver.open({ server: dnsServer, maxLookups: MAX_HELD_SUPPLIES }),
  timeoutMs,
  clock: Date.now,
});

function ask({ question }: SupplierRequest): Promise<SupplierReply['answer']> {
  switch (question.kind) {
    case 'purchase':
      return client.purchase(question.supply);
    case 'progress':
      return client.progress(question.supply);
    case 'stock':
      return client.askStock(question.source);
  }
}

let underWay = 0;
let answered: SupplierReply[] = [];

function tell(): void {
  const replies = answered;
  answered = [];
  port?.postMessage(replies);
}

function reply(id: number, answer: SupplierReply['answer']): void {
  if (answered.length === 0) {
    setTimeout(tell, Math.min(underWay / UNDER_WAY_PER_GATHERING_MS, MAX_GATHERING_MS));
  }
  underWay -= 1;
  answered.push({ id, answer });
}

port.on('message', (request: SupplierRequest) => {
  const { id, supplier } = request;
  if (supplier !== undefined) suppliers.set(supplier.supplierId, supplier);
  underWay += 1;
  void ask(request).then((answer) => reply(id, answer));
});
// It is ready.
port.postMessage([] satisfies SupplierReply[]);
