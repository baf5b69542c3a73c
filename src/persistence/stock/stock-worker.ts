/**
 * The thread that takes in items and the texts of orders, so that hashing, comparing, sealing and writing a million of
 * them doesn't hold up a purchase. The thread shares the file's environment with the main thread, which only reads. The
 * order of calls is the order of work.
 */
import { sayer, serve, threadStart } from '../../threads/thread-server.ts';
import type { WorkerLink } from '../../threads/worker-link.ts';
import { DataKeys } from '../keys/data-keys.ts';
import { isOutOfDescriptors } from '../lmdb/lmdb-environment.ts';
import { type CompactionDamage, type CompactionPart, compactionPart } from '../runs/compacting.ts';
import { Compaction, type CompactionLimits } from '../runs/compaction.ts';
import { type RowChange, RowSets } from '../shipping/row-changes.ts';
import { ShippedRows } from '../shipping/shipped-rows.ts';
import { type OrderTexts, OrderTextsWriter } from './delivered/order-texts-writer.ts';
import { WaitingTexts } from './delivered/waiting-texts.ts';
import { openStockFile } from './file/stock-file.ts';
import type { IntakeStart } from './intake/stock-intake-writer.ts';
import { type Parcel, StockIntakes } from './intake/stock-intakes.ts';
import type { ProductStock } from './product-stock.ts';
import { STOCK_THREAD_ERRORS, StockError } from './stock-errors.ts';
import { stockTexts } from './stock-texts.ts';
import { type CopiesQuestion, copiesForSale } from './text-copies.ts';
import { tryToWrite } from './write-failure.ts';

export interface StockThreadData {
  readonly file: string;
  /** The shared memory of the `DataKeys`. */
  readonly keys: SharedArrayBuffer;
  /** Whether what is written here is shipped to the folders of other nodes. */
  readonly isShipped: boolean;
  readonly compaction: Partial<CompactionLimits>;
}

export type StockEvents = {
  /** See `RowShipping.add`. */
  readonly rows: (id: number, parts: readonly Uint8Array[]) => void;
};

const { data, gate } = threadStart<StockThreadData>();
const shipped = data.isShipped ? new ShippedRows(sayer<StockEvents>('rows').rows) : undefined;
const file = gate.pass(() => {
  return openStockFile(data.file, DataKeys.of(data.keys), { gate, onWritten: shipped?.send });
});
const compaction = new Compaction(file.tiers, file.transact, data.compaction);
const followed = new RowSets();
const texts = stockTexts(file);
const intakes = new StockIntakes(texts);
const orders = new OrderTextsWriter(texts);
const waiting = new WaitingTexts(orders);

/** Damage that was found where nobody asks for it. */
let untold: CompactionDamage | undefined;

/** Without room it is left to the next time. */
function compact(): CompactionPart {
  const damage = untold;
  untold = undefined;
  if (damage !== undefined) return damage;
  try {
    return compactionPart(() => tryToWrite(file, () => compaction.step()));
  } catch (error) {
    const isFull = StockError.is(error, 'full', 'limited');
    if (isFull || isOutOfDescriptors(error)) return false;
    throw error;
  }
}

const writing = {
  addToIntake: (intakeId: number, parcel: Parcel) => {
    const added = intakes.add(intakeId, parcel);
    const part = compaction.isBehind && compact();
    if (typeof part === 'object') untold = part;
    return added;
  },
  finishIntake: (intakeId: number) => intakes.finish(intakeId),
  /** The texts of an order; one call at a time for each. */
  writeTexts: (order: OrderTexts) => waiting.write(order),
  /** The texts under an order's number. */
  removeTexts: (orderId: number) => orders.remove(orderId),
};

const calls = {
  ...(shipped === undefined ? writing : shipped.answersLast(writing)),
  beginIntake: (intakeId: number, start: IntakeStart) => intakes.begin(intakeId, start),
  closeIntake: (intakeId: number): void => {
    // Those that wait came while it was under way, and know the product's end of then.
    waiting.writeAll();
    intakes.close(intakeId);
  },
  /** The reservation of texts that an order will be delivered with. */
  reservation: (supplierPurchaseId: number, stock: ProductStock, encoded: Uint8Array) =>
    orders.reservation(supplierPurchaseId, stock, encoded),
  /** See `ShopShelves`. */
  tellEnds: (pairs: Float64Array): void => texts.shelves.tellEnds(pairs),
  tellStocks: (stocks: readonly ProductStock[], areAll: boolean): void =>
    texts.shelves.tellStocks(stocks, areAll),
  dropReservation: (supplierPurchaseId: number) => texts.reservations.drop(supplierPurchaseId),
  copiesForSale: (question: CopiesQuestion) => copiesForSale(texts, question),
  compact,
  /** See `RowShipping`. */
  shipped: (id: number): void => shipped?.shipped(id),
  /** A part of what another node has written; whether its set is complete, and durable. */
  applyRows: (part: Uint8Array): boolean => {
    return tryToWrite(file, () => followed.take([part], applyRows));
  },
  stop: (): Promise<void> => {
    compaction.stop();
    waiting.writeAll();
    return file.environment.close();
  },
};

/** Texts that were read before may not be there any more. */
function applyRows(changes: readonly RowChange[]): void {
  file.apply(changes);
  texts.deliveries.forgetAll();
}

export type StockThread = WorkerLink<StockThreadData, typeof calls>;

serve(calls, STOCK_THREAD_ERRORS);
