/** The thread that asks suppliers. It ends with the process, or when it is told to, whatever is under way. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Supplier } from '../engine/suppliers.ts';
import { HostResolver } from '../outgoing/host-resolver.ts';
import { SecretCipher } from '../persistence/disk/secret-cipher.ts';
import { giveWay } from '../persistence/lmdb/background-thread.ts';
import { AnswerGathering } from './answer-gathering.ts';
import { HttpSupplier } from './http-supplier.ts';
import {
  type SupplierReply,
  type SupplierRequest,
  type SupplierThreadData,
  supplierIdOf,
} from './supplier-messages.ts';

const port = parentPort;
if (port === null) throw new Error('supplier-worker is a worker thread');
const { masterKey, timeoutMs, dnsServer } = workerData as SupplierThreadData;
giveWay();

/** The latest that the main thread said of each; as many as there are suppliers. */
const suppliers = new Map<number, Supplier>();
const client = new HttpSupplier({
  suppliers: () => suppliers,
  secrets: new SecretCipher(masterKey, 'supplier secret'),
  resolver: HostResolver.open({ server: dnsServer }),
  timeoutMs,
  clock: Date.now,
});

function ask({ question }: SupplierRequest): Promise<SupplierReply['answer']> {
  switch (question.kind) {
    case 'purchase':
      return client.purchase(question.supplierPurchase);
    case 'progress':
      return client.progress(question.supplierPurchase);
    case 'stock':
      return client.askStock(question.source);
  }
}

const answers = new AnswerGathering<SupplierReply>((replies) => port.postMessage(replies));

port.on('message', (request: SupplierRequest) => {
  const { id, supplier } = request;
  if (supplier !== undefined) suppliers.set(supplier.supplierId, supplier);
  const supplierId = supplierIdOf(request.question);
  answers.asked(supplierId);
  void ask(request).then((answer) => answers.answered(supplierId, { id, answer }));
});
// It is ready.
port.postMessage([] satisfies SupplierReply[]);
