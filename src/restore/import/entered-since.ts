/**
 * What a restored folder has that the one that was lost does not: an import drops it. It must be no sale, and nothing else
 * unless the operator says so, who is told of all of it: what operators entered, and the webhooks that buyers registered.
 *
 * Receipts prove what the shop did in the gap, so the folder that was lost has that: one that lacks it is an older copy, and
 * what it lacks would be sold again. Without a receipt nothing here tells a copy from the folder itself.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { replacedItems } from '../../engine/adjustments.ts';
import type { Epoch, Fork } from '../../engine/epochs.ts';
import type { Fact, FactKind, FactOf } from '../../engine/fact.ts';
import { NO_KEY, type Order } from '../../engine/orders.ts';
import type { LogReader } from '../../persistence/journal/frame-log.ts';
import { JournalReader } from '../../persistence/journal/journal-reader.ts';
import { RestoreError } from '../restore-error.ts';

/** The current epoch of a restored folder, and the fork with which its gap began. */
export interface BegunEpoch extends Fork {
  readonly epoch: number;
}

/** The order as the folder has it that is made of the one that was lost. */
export type FindOrder = (orderId: number) => Order | undefined;

/** What may be recorded between a restore and an import without being lost: it tells nothing of the shop, or is proved there. */
const HARMLESS: ReadonlySet<FactKind> = new Set([
  'EpochBegun',
  'OrderRecovered',
  'OrderAmended',
  'DebitSettled',
  // A start releases the holds that the restore interrupted.
  'HoldReleased',
  'ItemsQuarantined',
  'QuarantineEnded',
  'OperatorActed',
  'ItemTextsShown',
  'ItemsSearched',
  'EventGroupClosed',
  'SupplierStockChanged',
  'WebhookResealed',
  'SupplierResealed',
] satisfies FactKind[]);
/** These were answered to buyers: an import would take them back. */
const SALES: ReadonlySet<FactKind> = new Set([
  'SalesOpened',
  'OrderPlaced',
  'OrderPaid',
  'HoldPlaced',
] satisfies FactKind[]);
/** A node that serves answers others in between. */
const GROUPS_A_TURN = 500;

/**
 * Where an import begins: the newest epoch with a gap. One that a clean end left behind it, with the gap still open, is
 * displaced with it. Throws `RestoreError` when nothing of the shop was lost.
 */
export function begunEpoch(
  folder: string,
  epochs: readonly Pick<Epoch, 'epoch' | 'position' | 'hash' | 'leap'>[],
): BegunEpoch {
  const current = epochs.at(-1);
  const begun = epochs.findLast(({ leap }) => leap !== null);
  if (current === undefined || begun === undefined) {
    throw new RestoreError(
      `${folder} was not restored with a gap: there is nothing that another folder could close`,
    );
  }
  return { epoch: current.epoch, position: begun.position, hash: begun.hash };
}

/** Reads on from the fork. With `find`, it also looks for what receipts have proved. Rejects with `RestoreError`. */
export async function expectNothingSince(
  log: LogReader,
  { position }: BegunEpoch,
  { discards, find }: { readonly discards: boolean; readonly find?: FindOrder },
): Promise<void> {
  const journal = JournalReader.at(log, position);
  const entered = new Entered();
  for (let isAtEnd = false; !isAtEnd; await nextTurn()) {
    let groups = 0;
    isAtEnd = true;
    for (const { facts, firstSequence } of journal.read()) {
      for (const [index, fact] of facts.entries()) {
        const sequence = firstSequence + index;
        if (sequence <= position) continue;
        expectNoSale(fact.kind, sequence);
        if (!HARMLESS.has(fact.kind)) entered.add(fact.kind, sequence);
        if (find !== undefined) expectProved(fact, find);
      }
      groups += 1;
      isAtEnd = groups < GROUPS_A_TURN;
      if (!isAtEnd) break;
    }
  }
  if (!discards) entered.expectNone();
}

/** What the old folder does not have, by kind. */
class Entered {
  readonly #counts = new Map<FactKind, number>();
  #first = 0;

  add(kind: FactKind, sequence: number): void {
    if (this.#first === 0) this.#first = sequence;
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  expectNone(): void {
    if (this.#counts.size === 0) return;
    const all = Array.from(this.#counts, ([kind, count]) => `${count} ${kind}`).join(', ');
    throw new RestoreError(
      `since the restore something was entered that the old folder does not have, from fact ${this.#first} on: ${all}; ` +
        'an import drops all of it: add --discard ("discard": true), and enter it again afterwards',
    );
  }
}

function expectNoSale(kind: FactKind, sequence: number): void {
  if (!SALES.has(kind)) return;
  throw new RestoreError(
    `the shop has sold since the restore, ${kind} (fact ${sequence}): an import would take that back`,
  );
}

function expectProved(fact: Fact, find: FindOrder): void {
  if (fact.kind !== 'OrderRecovered' && fact.kind !== 'OrderAmended') return;
  const { orderId } = fact.order;
  if (isIn(find(orderId), fact)) return;
  throw new RestoreError(
    `the old folder is an older copy of the one that was lost: a receipt proves what it does not have of order ${orderId}; ` +
      'import the folder that the node used last',
  );
}

function isIn(found: Order | undefined, fact: FactOf<'OrderRecovered' | 'OrderAmended'>): boolean {
  const { order } = fact;
  const isSame =
    found?.accountId === order.accountId &&
    found.idempotencyKey === order.idempotencyKey &&
    found.totalMicros === order.totalMicros &&
    // That of the payment: it tells an order that was paid in the gap from one that was only opened before.
    found.balanceAfterMicros === order.balanceAfterMicros;
  if (!isSame || fact.kind === 'OrderRecovered') return isSame;
  if (fact.delivers === true) return found.status !== 'pending_delivery';
  const replaced = replacedItems(found.adjustments);
  // Operators' own replacements have keys.
  const byReceipts = order.adjustments.filter(({ key }) => key === NO_KEY);
  return [...replacedItems(byReceipts).keys()].every((place) => replaced.has(place));
}
