/** The thread that asks suppliers. It ends with the process, or when it is told to, whatever is under way. */
import type { SupplierSource } from '../engine/products.ts';
import type { SupplierPurchase } from '../engine/supplier-purchases.ts';
import type { Supplier } from '../engine/suppliers.ts';
import { HostResolver } from '../outgoing/host-resolver.ts';
import type { MasterKey } from '../persistence/disk/master-key.ts';
import { SecretCipher } from '../persistence/disk/secret-cipher.ts';
import { serve, threadStart } from '../threads/thread-server.ts';
import { AnswerGathering } from './answer-gathering.ts';
import { HttpSupplier } from './http-supplier.ts';

export interface SupplierThreadData {
  readonly masterKey: MasterKey;
  /** Of one question, from the look-up to the last byte. */
  readonly timeoutMs: number;
  /** `address:port` of `--dns-server`; undefined for the system's resolvers. */
  readonly dnsServer: string | undefined;
}

const { masterKey, timeoutMs, dnsServer } = threadStart<SupplierThreadData>().data;

/** The latest that the main thread said of each; as many as there are suppliers. */
const suppliers = new Map<number, Supplier>();
const client = new HttpSupplier({
  suppliers: () => suppliers,
  secrets: new SecretCipher(masterKey, 'supplier secret'),
  resolver: new HostResolver({ server: dnsServer }),
  timeoutMs,
  clock: Date.now,
});
const gathering = new AnswerGathering<() => void>((answers) => {
  for (const answer of answers) answer();
});

async function answered<Answer>(supplierId: number, asked: Promise<Answer>): Promise<Answer> {
  gathering.asked(supplierId);
  const answer = await asked;
  return new Promise((resolve) => gathering.answered(supplierId, () => resolve(answer)));
}

/** `supplier` as it is now; undefined when there is none. */
function know(supplier: Supplier | undefined): void {
  if (supplier !== undefined) suppliers.set(supplier.supplierId, supplier);
}

const calls = {
  purchase: (supplierPurchase: SupplierPurchase, supplier: Supplier | undefined) => {
    know(supplier);
    return answered(supplierPurchase.supplierId, client.purchase(supplierPurchase));
  },
  progress: (supplierPurchase: SupplierPurchase, supplier: Supplier | undefined) => {
    know(supplier);
    return answered(supplierPurchase.supplierId, client.progress(supplierPurchase));
  },
  stock: (source: SupplierSource, supplier: Supplier | undefined) => {
    know(supplier);
    return answered(source.supplierId, client.askStock(source));
  },
};
export type SupplierCalls = typeof calls;

serve(calls);
