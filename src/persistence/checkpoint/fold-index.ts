/**
 * Tables that the fold keeps beside those of the state: listings and statements are found by them, without a scan.
 *
 * Invariant: they reflect the same position as all other rows, because they are written in the same transaction. A
 * reader first has the checkpoint reach all that is decided (`Checkpointer.reachDecided`). They are made from facts
 * alone, so `purser verify` makes them again and compares. Many entries go into one row: a row for each entry would
 * cost the fold more than the order itself.
 */
import type { Fact } from '../../engine/fact.ts';
import { AuditEntries } from './audit-entries.ts';
import type { CheckpointTables } from './checkpoint-tables.ts';
import type { KeyRuns } from './keys/key-runs.ts';
import { LotRows } from './lot-rows.ts';
import { MoneyIndex } from './money/money-index.ts';
import { OrderLists } from './order-lists.ts';
import { OrderRecipients } from './order-recipients.ts';
import { OrderStatuses } from './order-statuses.ts';
import { RecoveredOrders } from './recovered-orders.ts';

export interface FoldIndex {
  /** Each fact once, in their order, after it was applied. Inside a transaction, like `flush`. */
  take(fact: Fact, position: number): void;
  /** All that was taken is in the table then. */
  flush(): void;
}

/** `recipients` writes the runs of recipients. */
export function foldIndexes(tables: CheckpointTables, recipients: KeyRuns): readonly FoldIndex[] {
  return [
    new OrderLists(tables.orderLists),
    new LotRows(tables),
    new MoneyIndex(tables),
    new AuditEntries(tables.audit),
    new OrderStatuses(tables.orderStatuses),
    new OrderRecipients(recipients),
    new RecoveredOrders(tables.recoveredOrders),
  ];
}
