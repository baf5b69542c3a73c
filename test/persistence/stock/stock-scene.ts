/**
 * A store of item texts in a folder of its own, and what the engine would know about its products: their
 * ends and withdrawn ranges, kept here in plain memory.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { ItemRange } from '../../../src/engine/item-ranges.ts';
import { DataKeys, KEY_BYTES } from '../../../src/persistence/keys/data-keys.ts';
import { openEnvironment } from '../../../src/persistence/lmdb/lmdb-environment.ts';
import type { Ship } from '../../../src/persistence/shipping/row-shipping.ts';
import type { StockIntake } from '../../../src/persistence/stock/intake/stock-intake.ts';
import type { IntakeResult } from '../../../src/persistence/stock/intake/stock-intake-writer.ts';
import { type ProductStock, productStock } from '../../../src/persistence/stock/product-stock.ts';
import { openStockStore, type StockStore } from '../../../src/persistence/stock/stock-store.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

/** Lines, as `text/plain`, or items, as a list. */
export type Upload = string | readonly string[];

export interface StockSceneOptions {
  /** See `StockStoreOptions`. */
  readonly ship?: Ship | undefined;
  /** Default: keys of its own. */
  readonly keys?: DataKeys | undefined;
}

export class StockScene {
  readonly #folder: TemporaryFolder;
  readonly keyBytes = randomBytes(KEY_BYTES);
  readonly keys: DataKeys;
  readonly fatal: unknown[] = [];
  readonly #ends = new Map<number, number>();
  readonly #withdrawn = new Map<number, ItemRange[]>();
  readonly #recalled = new Map<number, ItemRange[]>();
  readonly #ship: Ship | undefined;
  #store: StockStore | undefined;

  private constructor(folder: TemporaryFolder, { ship, keys }: StockSceneOptions) {
    this.#folder = folder;
    this.#ship = ship;
    this.keys = keys ?? DataKeys.create(this.keyBytes, this.keyBytes);
  }

  static async open(options: StockSceneOptions = {}): Promise<StockScene> {
    const scene = new StockScene(await createTemporaryFolder('stock'), options);
    await scene.reopen();
    return scene;
  }

  get file(): string {
    return join(this.#folder.path, 'stock.mdb');
  }

  get folder(): string {
    return this.#folder.path;
  }

  get store(): StockStore {
    if (this.#store === undefined) throw new Error('the store is not open');
    return this.#store;
  }

  async closeStore(): Promise<void> {
    await this.#store?.close();
    this.#store = undefined;
  }

  async reopen(): Promise<void> {
    await this.closeStore();
    this.#store = await openStockStore({
      file: this.file,
      keys: this.keys,
      onFatal: (error) => this.fatal.push(error),
      ship: this.#ship,
    });
  }

  async close(): Promise<void> {
    await this.closeStore();
    await this.#folder.remove();
  }

  /** Changes a row behind the store's back, which is closed then: by default the first of its table, in its place. */
  async changeRow(
    table: 'items' | 'fingerprints' | 'deliveries' | 'meta',
    key: Buffer | undefined,
    change: (row: Buffer) => Buffer | undefined,
    to?: Buffer,
  ): Promise<void> {
    await this.closeStore();
    const environment = openEnvironment(this.file);
    const rows = environment.table(table);
    const place = key ?? [...rows.getKeys({ limit: 1 })][0];
    const row = place === undefined ? undefined : rows.get(place);
    assert.ok(place !== undefined && row !== undefined);
    const changed = change(Buffer.from(row));
    if (changed === undefined) rows.removeSync(place);
    else rows.putSync(to ?? place, changed);
    await environment.close();
  }

  end(productId: number): number {
    return this.#ends.get(productId) ?? 0;
  }

  /** Sets a product's end, as the journal does once its fact is durable. */
  setEnd(productId: number, end: number): void {
    this.#ends.set(productId, end);
  }

  withdraw(productId: number, firstItem: number, count: number): void {
    const ranges = this.#withdrawn.get(productId) ?? [];
    this.#withdrawn.set(productId, [...ranges, { firstItem, count }]);
  }

  /** Recalls a range, whose unsold items are withdrawn besides. */
  recall(productId: number, firstItem: number, count: number): void {
    const ranges = this.#recalled.get(productId) ?? [];
    this.#recalled.set(productId, [...ranges, { firstItem, count }]);
  }

  begin(productId: number, allowDuplicates = false, isDry = false): Promise<StockIntake> {
    return this.store.beginIntake({
      productId,
      allowDuplicates,
      isDry,
      readStock: async () => this.#stockOf(productId),
    });
  }

  #stockOf(productId: number): ProductStock {
    const withdrawn = this.#withdrawn.get(productId);
    return productStock(productId, this.end(productId), withdrawn, this.#recalled.get(productId));
  }

  reservation(supplierPurchaseId: number, productId: number, texts: readonly string[]): Promise<boolean> {
    return this.store.orderTexts.reservation({
      supplierPurchaseId,
      texts,
      readStock: async () => this.#stockOf(productId),
    });
  }

  /** Compared with what the product had, unless the supplier purchase has claimed them. */
  deliver(
    supplierPurchaseId: number,
    orderId: number,
    productId: number,
    texts: readonly string[],
  ): Promise<boolean> {
    const readStock = async () => this.#stockOf(productId);
    return this.store.orderTexts.write(orderId, texts, { productId, supplierPurchaseId, readStock });
  }

  /** Compared with nothing. */
  async deliverByHand(orderId: number, productId: number, texts: readonly string[]): Promise<void> {
    assert.equal(await this.store.orderTexts.write(orderId, texts, { productId }), true);
  }

  /** An upload that comes to its end. */
  async upload(productId: number, upload: Upload, allowDuplicates = false): Promise<IntakeResult> {
    const intake = await this.begin(productId, allowDuplicates);
    try {
      await send(intake, upload);
      const result = await intake.finish();
      this.setEnd(productId, result.firstItem + result.added);
      return result;
    } finally {
      intake.close();
    }
  }

  /** An upload that is all on disk, and then its fact is refused. */
  async abandon(productId: number, upload: Upload, allowDuplicates = false): Promise<void> {
    const intake = await this.begin(productId, allowDuplicates);
    await send(intake, upload);
    await intake.finish();
    intake.close();
  }

  read(productId: number): string[] {
    const end = this.end(productId);
    return this.store.readItems(productId, 0, end, end);
  }
}

export function send(intake: StockIntake, upload: Upload): Promise<void> {
  return typeof upload === 'string' ? intake.writeText(Buffer.from(upload)) : intake.writeItems(upload);
}

/** `prefix-0` and so on. */
export function numbered(prefix: string, count: number, first = 0): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${first + index}`);
}

/** Another bit in the byte at `index`; from the end, if that is negative. */
export function flip(index: number): (row: Buffer) => Buffer {
  return (row) => Buffer.from(row.with(index, (row.at(index) ?? 0) ^ 0x20));
}
