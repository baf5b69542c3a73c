/**
 * The texts of items and orders as the stock store keeps them, on a disk in memory whose writes last until they are
 * told to end. Texts beyond a product's end are nobody's, and are written over. Which texts the shop had is looked for
 * among all of them: the naive way that the fingerprints, reservations and hints of the real one come to. The texts of other
 * products are told to it as to the real one.
 */

import type {
  DeliveredProduct,
  OrderTextsStore,
  Reservation,
} from '../../src/persistence/stock/delivered/order-texts-store.ts';
import { type IntakeLink, StockIntake } from '../../src/persistence/stock/intake/stock-intake.ts';
import type { IntakeResult } from '../../src/persistence/stock/intake/stock-intake-writer.ts';
import { UploadQueue } from '../../src/persistence/stock/intake/upload-queue.ts';
import { isIn, type ProductStock, productStock } from '../../src/persistence/stock/product-stock.ts';
import { ShelfNews, type ShelfThread, type ShopEngine } from '../../src/persistence/stock/shelf-news.ts';
import type { IntakeOptions, StockStore } from '../../src/persistence/stock/stock-store.ts';

interface DeliveredTexts {
  readonly texts: readonly string[];
  /** Undefined when they were written for none. */
  readonly productId: number | undefined;
}

/** The texts on disk, which outlive a crash. */
export class TextDisk {
  readonly #items = new Map<number, string[]>();
  readonly #orders = new Map<number, DeliveredTexts>();

  itemsOf(productId: number): readonly string[] {
    return this.#items.get(productId) ?? [];
  }

  textsOf(orderId: number): readonly string[] {
    return this.#orders.get(orderId)?.texts ?? [];
  }

  writeTexts(orderId: number, texts: readonly string[], productId: number | undefined): void {
    this.#orders.set(orderId, { texts: [...texts], productId });
  }

  removeTexts(orderId: number): void {
    this.#orders.delete(orderId);
  }

  /** The texts of orders of all products, but for one. */
  deliveredTexts(exceptOrderId?: number): string[] {
    return [...this.#orders].flatMap(([orderId, { texts, productId }]) =>
      productId !== undefined && orderId !== exceptOrderId ? texts : [],
    );
  }

  /** In place of what lies beyond the end. */
  writeItems(productId: number, end: number, added: readonly string[]): void {
    this.#items.set(productId, [...this.itemsOf(productId).slice(0, end), ...added]);
  }
}

interface Write {
  readonly perform: () => void;
  readonly tell: () => void;
}

export interface SimulatedStockOptions {
  readonly disk: TextDisk;
  readonly engine: ShopEngine;
  /** Told that a supplier purchase's delivery was refused, because the shop had a text of it. */
  readonly onHad: (supplierPurchaseId: number) => void;
}

export class SimulatedStock implements ShelfThread {
  readonly #disk: TextDisk;
  readonly #onHad: (supplierPurchaseId: number) => void;
  readonly #shelfNews: ShelfNews;
  readonly #queue = new UploadQueue();
  readonly orderTexts: Pick<OrderTextsStore, 'reservation' | 'dropReservation' | 'write' | 'remove'> = this;
  readonly #writes: Write[] = [];
  /** By supplier purchase. */
  readonly #reservations = new Map<number, readonly string[]>();
  /** Where uploads end that may be about to put items on sale, by product. */
  readonly #uploads = new Map<number, number>();
  /** By product, as they were told. */
  readonly #ends = new Map<number, number>();
  readonly #stocks = new Map<number, ProductStock>();

  constructor({ disk, engine, onHad }: SimulatedStockOptions) {
    this.#disk = disk;
    this.#shelfNews = new ShelfNews(engine, this);
    this.#onHad = onHad;
  }

  get isWriting(): boolean {
    return this.#writes.length > 0;
  }

  /** The store as the code under test sees it: it has all that is called. */
  asStore(): StockStore {
    return this as unknown as StockStore;
  }

  async beginIntake({ readStock, ...wanted }: IntakeOptions): Promise<StockIntake> {
    const { productId } = wanted;
    const { giveBack, isAlone } = await this.#queue.begin(wanted);
    const { recalledItems } = this.#shelfNews;
    await this.#shelfNews.tell();
    const stock = await readStock();
    const lines: string[] = [];
    const link: IntakeLink = {
      begun: Promise.resolve(),
      add: async (parcel) => {
        if (!(parcel instanceof Uint8Array)) lines.push(...parcel);
      },
      finish: () => {
        this.#shelfNews.tellEnds();
        return new Promise((resolve) => {
          let result: IntakeResult = { firstItem: stock.end, added: 0, duplicates: 0 };
          this.#writes.push({
            perform: () => {
              result = this.#takeIn(stock, lines);
            },
            tell: () => resolve(result),
          });
        });
      },
      close: () => {
        this.#shelfNews.tellEnds();
        giveBack();
        this.#writes.push({ perform: () => this.#uploads.delete(productId), tell: () => undefined });
      },
    };
    return new StockIntake(link, recalledItems, isAlone);
  }

  tellEnds(pairs: Float64Array): void {
    for (let at = 0; at < pairs.length; at += 2) this.#ends.set(pairs[at] ?? 0, pairs[at + 1] ?? 0);
  }

  tellStocks(stocks: readonly ProductStock[], areAll: boolean): void {
    if (areAll) this.#stocks.clear();
    for (const stock of stocks) this.#stocks.set(stock.productId, stock);
  }

  async reservation({ supplierPurchaseId, texts, readStock }: Reservation): Promise<boolean> {
    await this.#shelfNews.tell();
    const stock = await readStock();
    this.#shelfNews.tellEnds();
    return new Promise((resolve) => {
      let isHad = false;
      this.#writes.push({
        perform: () => {
          isHad = this.#hasAny(stock, texts, supplierPurchaseId);
          if (!isHad) this.#reservations.set(supplierPurchaseId, texts);
        },
        tell: () => {
          if (isHad) this.#onHad(supplierPurchaseId);
          resolve(!isHad);
        },
      });
    });
  }

  dropReservation(supplierPurchaseId: number): void {
    this.#writes.push({
      perform: () => this.#reservations.delete(supplierPurchaseId),
      tell: () => undefined,
    });
  }

  async write(orderId: number, texts: readonly string[], of?: DeliveredProduct): Promise<boolean> {
    if (of?.readStock !== undefined) await this.#shelfNews.tell();
    const read = await of?.readStock?.();
    this.#shelfNews.tellEnds();
    return new Promise((resolve) => {
      let isHad = false;
      const supplierPurchaseId = of?.supplierPurchaseId;
      this.#writes.push({
        perform: () => {
          const isClaimed = supplierPurchaseId !== undefined && this.#reservations.has(supplierPurchaseId);
          const stock = isClaimed ? undefined : read;
          isHad = stock !== undefined && this.#hasAny(stock, texts, supplierPurchaseId, orderId);
          if (!isHad) this.#disk.writeTexts(orderId, texts, of?.productId);
          if (supplierPurchaseId !== undefined) this.#reservations.delete(supplierPurchaseId);
        },
        tell: () => {
          if (isHad && supplierPurchaseId !== undefined) this.#onHad(supplierPurchaseId);
          resolve(!isHad);
        },
      });
    });
  }

  remove(orderId: number): Promise<void> {
    return new Promise((resolve) => {
      this.#writes.push({ perform: () => this.#disk.removeTexts(orderId), tell: resolve });
    });
  }

  /** Ends the oldest write under way, if there is one. */
  land(): void {
    const write = this.#writes.shift();
    write?.perform();
    write?.tell();
  }

  /** The first `written` of the writes under way are on disk. */
  crash(written: number): void {
    for (const { perform } of this.#writes.splice(0).slice(0, written)) perform();
  }

  #takeIn(stock: ProductStock, lines: readonly string[]): IntakeResult {
    const { productId } = stock;
    const had = this.#had(stock);
    const added: string[] = [];
    for (const line of lines) {
      if (had.has(line)) continue;
      had.add(line);
      added.push(line);
    }
    this.#disk.writeItems(productId, stock.end, added);
    this.#uploads.set(productId, stock.end + added.length);
    return { firstItem: stock.end, added: added.length, duplicates: lines.length - added.length };
  }

  #hasAny(
    stock: ProductStock,
    texts: readonly string[],
    supplierPurchaseId?: number,
    orderId?: number,
  ): boolean {
    const had = this.#had(stock, supplierPurchaseId, orderId);
    return texts.some((text) => had.has(text));
  }

  #had(stock: ProductStock, exceptSupplierPurchaseId?: number, exceptOrderId?: number): Set<string> {
    const claimed = [...this.#reservations].flatMap(([supplierPurchaseId, texts]) =>
      supplierPurchaseId === exceptSupplierPurchaseId ? [] : texts,
    );
    const delivered = this.#disk.deliveredTexts(exceptOrderId);
    const items = this.#shopWith(stock).flatMap((each) => this.#itemsOf(each));
    return new Set([...items, ...claimed, ...delivered]);
  }

  /** The stock of all products, as far as it is known. */
  #shopWith(own: ProductStock): ProductStock[] {
    const { productId: ownId } = own;
    const others = [...this.#ends].filter(([productId]) => productId !== ownId);
    return [
      own,
      ...others.map(([productId, end]) => ({
        ...(this.#stocks.get(productId) ?? productStock(productId, end)),
        end,
      })),
    ];
  }

  #itemsOf({ productId, end, withdrawn, recalled }: ProductStock): string[] {
    return this.#disk
      .itemsOf(productId)
      .slice(0, Math.max(end, this.#uploads.get(productId) ?? 0))
      .filter((_, item) => isIn(recalled, item) || !isIn(withdrawn, item));
  }
}
