/**
 * The thread that asks suppliers. Questions under way don't keep it from ending with the process, or when it is told
 * to.
 */
import type { SupplierSource } from '../engine/products.ts';
import type { SupplierPurchase } from '../engine/supplying/supplier-purchases.ts';
import type { Supplier } from '../engine/supplying/suppliers.ts';
import { HostResolver } from '../outgoing/host-resolver.ts';
import { DataKeys } from '../persistence/keys/data-keys.ts';
import { SecretCipher } from '../persistence/keys/secret-cipher.ts';
import { Lease } from '../threads/lease.ts';
import { serve, threadStart } from '../threads/thread-server.ts';
import { AnswerGathering } from './answer-gathering.ts';
import { HttpSupplier } from './http-supplier.ts';

export interface SupplierThreadData {
  /** The memory of the `DataKeys`. */
  readonly keys: SharedArrayBuffer;
  /** The time limit of a question that isn't a purchase, from the look-up to the last byte. */
  readonly timeoutMs: number;
  /** `address:port` of `--dns-server`; undefined for the system's resolvers. */
  readonly dnsServer: string | undefined;
  /** The memory of the `Lease` while which questions may be asked; undefined: always. */
  readonly lease?: SharedArrayBuffer | undefined;
}

const { keys, timeoutMs, dnsServer, lease: shared } = threadStart<SupplierThreadData>().data;
const lease = shared && new Lease(shared);

/** The latest that the main thread said of each; as many as there are suppliers. */
const suppliers = new Map<number, Supplier>();
const client = new HttpSupplier({
  suppliers: () => suppliers,
  secrets: new SecretCipher(DataKeys.of(keys), 'supplier secret'),
  resolver: new HostResolver({ server: dnsServer }),
  timeoutMs,
  clock: Date.now,
});
const gathering = new AnswerGathering<() => void>((answers) => {
  for (const answer of answers) answer();
});

/** Asks `supplier`, which is as it is now; undefined when there is none. */
async function answerOf<About extends { readonly supplierId: number }, Answer>(
  ask: (about: About) => Promise<Answer>,
  about: About,
  supplier: Supplier | undefined,
): Promise<Answer> {
  // The process is about to end: another node asks.
  if (lease?.isHeld === false) return new Promise(() => {});
  if (supplier !== undefined) suppliers.set(supplier.supplierId, supplier);
  gathering.asked(about.supplierId);
  const answer = await ask(about);
  return new Promise((resolve) => gathering.answered(about.supplierId, () => resolve(answer)));
}

const calls = {
  purchase: (purchase: SupplierPurchase, supplier: Supplier | undefined, withinMs: number) =>
    answerOf((each) => client.purchase(each, withinMs), purchase, supplier),
  progress: (purchase: SupplierPurchase, supplier: Supplier | undefined) =>
    answerOf((each) => client.progress(each), purchase, supplier),
  stock: (source: SupplierSource, supplier: Supplier | undefined) =>
    answerOf(client.askStock, source, supplier),
};
export type SupplierCalls = typeof calls;

serve(calls);
