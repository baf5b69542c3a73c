/**
 * The texts of items and orders as the stock store keeps them, on a disk in memory whose writes last until they are
 * told to end. What is written beyond a product's end is nobody's, and is written over. Which texts a product had is
 * looked for among all of them: the naive way that the fingerprints, claims and hints of the real one come to.
 */

import type { Claim, OrderTextsStore } from '../../src/persistence/stock/delivered/order-texts-store.ts';
import type { TextsOfProduct } from '../../src/persistence/stock/delivered/order-texts-writer.ts';
import { type IntakeLink, StockIntake } from '../../src/persistence/stock/intake/stock-intake.ts';
import type { IntakeResult } from '../../src/persistence/stock/intake/stock-intake-writer.ts';
import { UploadQueue } from '../../src/persistence/stock/intake/upload-queue.ts';
import { isIn, type ProductStock } from '../../src/persistence/stock/product-stock.ts';
import type { IntakeOptions, StockStore } from '../../src/persistence/stock/stock-store.ts';

interface DeliveredTexts {
  readonly texts: readonly string[];
  /** Undefined when they were written for none. */
  readonly productId: number | undefined;
}

/** What outlives a crash. */
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

  /** Of orders of the product, but for one. */
  deliveredTexts(of: number, exceptOrderId?: number): string[] {
    return [...this.#orders].flatMap(([orderId, { texts, productId }]) =>
      productId === of && orderId !== exceptOrderId ? texts : [],
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
  /** Of all products. */
  readonly recalledItems: () => number;
  /** Told that a supplier purchase's delivery was refused, because the product had a text of it. */
  readonly onHad: (supplierPurchaseId: number) => void;
}

export class SimulatedStock {
  readonly #disk: TextDisk;
  readonly #onHad: (supplierPurchaseId: number) => void;
  readonly #recalledItems: () => number;
  readonly #queue = new UploadQueue();
  readonly orderTexts: Pick<OrderTextsStore, 'claim' | 'dropClaim' | 'write' | 'remove'> = this;
  readonly #writes: Write[] = [];
  /** By supplier purchase. */
  readonly #claims = new Map<number, { readonly productId: number; readonly texts: readonly string[] }>();
  /** Where uploads end that may be about to put items on sale, by product. */
  readonly #uploads = new Map<number, number>();

  constructor({ disk, recalledItems, onHad }: SimulatedStockOptions) {
    this.#disk = disk;
    this.#recalledItems = recalledItems;
    this.#onHad = onHad;
  }

  get isWriting(): boolean {
    return this.#writes.length > 0;
  }

  /** It has what the code under test calls. */
  asStore(): StockStore {
    return this as unknown as StockStore;
  }

  async beginIntake({ productId, readStock }: IntakeOptions): Promise<StockIntake> {
    const giveBack = await this.#queue.take(productId);
    const recalledItems = this.#recalledItems();
    const stock = await readStock();
    const lines: string[] = [];
    const link: IntakeLink = {
      begun: Promise.resolve(),
      add: async (parcel) => {
        if (!(parcel instanceof Uint8Array)) lines.push(...parcel);
      },
      finish: () =>
        new Promise((resolve) => {
          let result: IntakeResult = { firstItem: stock.end, added: 0, duplicates: 0 };
          this.#writes.push({
            perform: () => {
              result = this.#takeIn(stock, lines);
            },
            tell: () => resolve(result),
          });
        }),
      close: () => {
        giveBack();
        this.#writes.push({ perform: () => this.#uploads.delete(productId), tell: () => undefined });
      },
    };
    return new StockIntake(link, recalledItems);
  }

  async tellShop(): Promise<void> {}

  async claim({ supplierPurchaseId, texts, readStock }: Claim): Promise<boolean> {
    const stock = await readStock();
    const { productId } = stock;
    return new Promise((resolve) => {
      let isHad = false;
      this.#writes.push({
        perform: () => {
          isHad = this.#hasAny(stock, texts, supplierPurchaseId);
          if (!isHad) this.#claims.set(supplierPurchaseId, { productId, texts });
        },
        tell: () => {
          if (isHad) this.#onHad(supplierPurchaseId);
          resolve(!isHad);
        },
      });
    });
  }

  dropClaim(supplierPurchaseId: number): void {
    this.#writes.push({ perform: () => this.#claims.delete(supplierPurchaseId), tell: () => undefined });
  }

  write(orderId: number, texts: readonly string[], of?: TextsOfProduct): Promise<boolean> {
    return new Promise((resolve) => {
      let isHad = false;
      const supplierPurchaseId = of?.supplierPurchaseId;
      this.#writes.push({
        perform: () => {
          const isClaimed = supplierPurchaseId !== undefined && this.#claims.has(supplierPurchaseId);
          const stock = isClaimed ? undefined : of?.stock;
          isHad = stock !== undefined && this.#hasAny(stock, texts, supplierPurchaseId, orderId);
          if (!isHad) this.#disk.writeTexts(orderId, texts, of?.productId);
          if (supplierPurchaseId !== undefined) this.#claims.delete(supplierPurchaseId);
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
    const { productId, end, withdrawn, recalled } = stock;
    const items = this.#disk.itemsOf(productId).slice(0, Math.max(end, this.#uploads.get(productId) ?? 0));
    const claimed = [...this.#claims].flatMap(([supplierPurchaseId, claim]) =>
      claim.productId === productId && supplierPurchaseId !== exceptSupplierPurchaseId ? claim.texts : [],
    );
    const delivered = this.#disk.deliveredTexts(productId, exceptOrderId);
    return new Set([
      ...items.filter((_, item) => isIn(recalled, item) || !isIn(withdrawn, item)),
      ...claimed,
      ...delivered,
    ]);
  }
}
