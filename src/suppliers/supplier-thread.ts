/**
 * Suppliers, asked from a thread of their own: thousands of requests that are under way for seconds cost the
 * main thread, which decides every purchase, two messages each. Their sockets, timers and answers, and the
 * garbage of all that, are the other thread's.
 *
 * Invariant: a question has one answer, whatever happens to the thread. Its death is fatal, once it was ready. One that
 * can't start, for want of file descriptors, has asked nobody anything: its questions are answered so, and a later one
 * starts it anew. Rejected: the same client in the main thread. With 2,000 purchases that were answered in one moment,
 * each was one more piece of work in the way of purchases of own stock, whose p99 was twice as long.
 */
import type { SupplierPurchase } from '../engine/supplying/supplier-purchases.ts';
import type { Supplier, Suppliers } from '../engine/supplying/suppliers.ts';
import { ThreadEndedError, WorkerLink } from '../threads/worker-link.ts';
import type { ProgressAnswer, PurchaseAnswer, SupplierPort } from './supplier-port.ts';
import type { AskStock } from './supplier-stock.ts';
import type { SupplierCalls, SupplierThreadData } from './supplier-worker.ts';

export interface SupplierThreadOptions extends SupplierThreadData {
  /** The table as it is at the time of a question. */
  readonly suppliers: () => Suppliers;
  readonly onFatal: (error: unknown) => void;
}

export class SupplierThread implements SupplierPort {
  readonly #suppliers: () => Suppliers;
  readonly #thread: WorkerLink<SupplierThreadData, SupplierCalls>;

  constructor({ suppliers, onFatal, ...data }: SupplierThreadOptions) {
    this.#suppliers = suppliers;
    this.#thread = new WorkerLink({
      program: new URL('./supplier-worker.js', import.meta.url),
      name: 'the thread that asks suppliers',
      data,
      onDeath: onFatal,
    });
  }

  /**
   * Resolves when it is ready; rejects when it can't be. With the node, if there are suppliers; otherwise with the
   * first question: a node without suppliers does without the thread.
   */
  async start(): Promise<void> {
    if (this.#suppliers().size > 0) await this.#thread.start();
  }

  // As many questions at once as there are holds and followers. A call is rejected when there is no thread, or none any
  // more.

  async purchase(supplierPurchase: SupplierPurchase, withinMs: number): Promise<PurchaseAnswer> {
    const supplier = this.#supplierOf(supplierPurchase);
    try {
      return await this.#thread.call('purchase', [supplierPurchase, supplier, withinMs]);
    } catch (error) {
      const isUnreached = error instanceof ThreadEndedError && !error.hasStarted;
      return { kind: isUnreached ? 'unreached' : 'failed', why: (error as Error).message };
    }
  }

  async progress(supplierPurchase: SupplierPurchase): Promise<ProgressAnswer> {
    try {
      return await this.#thread.call('progress', [supplierPurchase, this.#supplierOf(supplierPurchase)]);
    } catch (error) {
      return { kind: 'silent', why: (error as Error).message };
    }
  }

  readonly askStock: AskStock = (source) =>
    this.#thread.call('stock', [source, this.#supplierOf(source)]).catch(() => undefined);

  /** Breaks off what is under way. */
  close(): Promise<void> {
    return this.#thread.breakOff();
  }

  #supplierOf({ supplierId }: { readonly supplierId: number }): Supplier | undefined {
    return this.#suppliers().get(supplierId);
  }
}
