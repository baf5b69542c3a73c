/** What the main thread and the suppliers' thread say to each other. Each question has one answer. */
import type { SupplierPurchaseSource } from '../engine/products.ts';
import type { SupplierPurchase } from '../engine/supplier-purchases.ts';
import type { Supplier } from '../engine/suppliers.ts';
import type { MasterKey } from '../persistence/disk/master-key.ts';
import type { ProgressAnswer, PurchaseAnswer } from './supplier-port.ts';
import type { StockAnswer } from './supplier-stock.ts';

export interface SupplierThreadData {
  readonly masterKey: MasterKey;
  /** Of one question, from the look-up to the last byte. */
  readonly timeoutMs: number;
  /** `address:port` of `--dns-server`; undefined for the system's resolvers. */
  readonly dnsServer: string | undefined;
}

export type SupplierQuestion =
  | { readonly kind: 'purchase' | 'progress'; readonly supplierPurchase: SupplierPurchase }
  | { readonly kind: 'stock'; readonly source: SupplierPurchaseSource };

/** Whom it is for. */
export function supplierIdOf(question: SupplierQuestion): number {
  return (question.kind === 'stock' ? question.source : question.supplierPurchase).supplierId;
}

export interface SupplierRequest {
  readonly id: number;
  readonly question: SupplierQuestion;
  /** As it is now; undefined when there is none. */
  readonly supplier: Supplier | undefined;
}

export interface SupplierReply {
  readonly id: number;
  readonly answer: PurchaseAnswer | ProgressAnswer | StockAnswer | undefined;
}
