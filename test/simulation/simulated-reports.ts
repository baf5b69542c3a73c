/** Reports of suppliers: as a purchase went, or forged, or too late; and repeated until they are heard. */
import { signatureOf } from '../../src/outgoing/signature.ts';
import type { ProgressAnswer } from '../../src/suppliers/supplier-port.ts';
import type { ReportResult } from '../../src/suppliers/supplier-report.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { type SimulatedPurchase, truth } from './simulated-supplier.ts';
import { secretOf } from './start.ts';
import type { SupplierPurchaseAudit } from './supplier-purchase-audit.ts';

const MAX_REPORT_AGE_MS = 5 * 60_000;

export const REPORT_MANNERS = ['right', 'right', 'forged', 'stale'] as const;
export type ReportManner = (typeof REPORT_MANNERS)[number];

interface Around {
  /** The node as it is now. */
  readonly node: () => SimulatedNode;
  readonly audit: SupplierPurchaseAudit;
  readonly clock: () => number;
  readonly onFault: (error: unknown) => void;
}

export class SimulatedReports {
  readonly #around: Around;

  constructor(around: Around) {
    this.#around = around;
  }

  /** Resolves with what came of it; undefined when the node died. */
  async send(
    { supplierPurchase }: SimulatedPurchase,
    said: ProgressAnswer,
    manner: ReportManner,
  ): Promise<ReportResult | undefined> {
    const { audit, clock, onFault } = this.#around;
    const node = this.#around.node();
    const { reference, supplierId } = supplierPurchase;
    const items = said.kind === 'delivered' ? { items: said.items } : {};
    const body = Buffer.from(JSON.stringify({ reference, status: said.kind, ...items }));
    const secret = manner === 'forged' ? 'a guess' : secretOf(supplierId);
    const signedAtMs = clock() - (manner === 'stale' ? MAX_REPORT_AGE_MS + 1 : 0);
    if (manner === 'right') audit.told(supplierPurchase, said);
    const expected = manner === 'right' ? ['heard', 'later'] : ['forged'];
    try {
      const result = await node.reports.hear(
        supplierId,
        signatureOf(secret, signedAtMs, reference, body),
        body,
      );
      if (!expected.includes(result)) onFault(new Error(`a ${manner} report was ${result}`));
      return result;
    } catch (error) {
      if (!node.engine.isDead) onFault(error);
      return undefined;
    }
  }

  /**
   * Repeats reports that were made while nothing could be done about them, or before a crash, and that nobody asked for
   * again.
   */
  async repeat(purchases: readonly SimulatedPurchase[], goOn: () => Promise<void>): Promise<void> {
    for (const purchase of purchases) {
      const said = truth(purchase);
      if (said.kind !== 'delivered') continue;
      for (let result: ReportResult | undefined = 'later'; result === 'later'; ) {
        let isAnswered = false;
        const answered = this.send(purchase, said, 'right').finally(() => {
          isAnswered = true;
        });
        while (!isAnswered) await goOn();
        result = await answered;
      }
    }
  }
}
