/**
 * A data folder that tests write facts to, with what the facts name, as a node's threads would have. Its facts are random
 * and fit no state: backups don't look at what facts mean.
 */
import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Fact } from '../../src/engine/fact.ts';
import { numberKey } from '../../src/persistence/codec/number-key.ts';
import { FileStore } from '../../src/persistence/files/file-store.ts';
import { beginFolder, prepareFolder, STOCK_FILE } from '../../src/persistence/folder/data-folder.ts';
import type { FrameLog } from '../../src/persistence/journal/frame-log.ts';
import { JournalWriter } from '../../src/persistence/journal/journal-writer.ts';
import { openLog } from '../../src/persistence/journal/open-log.ts';
import { KeyRing } from '../../src/persistence/keys/key-ring.ts';
import { encodeOrderTexts } from '../../src/persistence/stock/delivered/order-texts.ts';
import { blockOf, ITEMS_PER_BLOCK } from '../../src/persistence/stock/file/stock-block.ts';
import { openStockFile, type StockFile, writeBlock } from '../../src/persistence/stock/file/stock-file.ts';
import { OutboxBatch } from '../../src/persistence/webhooks/outbox-file.ts';
import { OutboxStore } from '../../src/persistence/webhooks/outbox-store.ts';
import type { Random } from '../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { order, placed, START_MS } from '../webhooks/outbox/shop-facts.ts';

const PRODUCT = 1;

export class WrittenFolder {
  readonly path: string;
  readonly ring: KeyRing;
  /** The texts that must be in a backup, of all that was written. */
  readonly items: string[] = [];
  readonly orderTexts = new Map<number, string[]>();
  readonly files = new Map<string, Buffer>();
  readonly #folder: TemporaryFolder;
  readonly #log: FrameLog;
  readonly #journal: JournalWriter;
  readonly #stock: StockFile;
  readonly #store: FileStore;
  readonly #outbox: OutboxStore;
  #lastOrderId = 0;

  private constructor(folder: TemporaryFolder, ring: KeyRing) {
    this.#folder = folder;
    this.path = folder.path;
    this.ring = ring;
    this.#log = openLog(this.path);
    this.#journal = new JournalWriter(this.#log);
    this.#stock = openStockFile(join(this.path, STOCK_FILE), ring.keys);
    this.#store = FileStore.open(this.path);
    this.#outbox = OutboxStore.open(this.path);
  }

  static async create(name: string): Promise<WrittenFolder> {
    const folder = await createTemporaryFolder(name);
    prepareFolder(folder.path);
    const ring = KeyRing.load({
      folder: folder.path,
      fromEnvironment: undefined,
      isBegun: false,
      hasTexts: () => false,
    });
    await beginFolder(folder.path);
    return new WrittenFolder(folder, ring);
  }

  /** A copy of the history, which goes on by itself. */
  static async copyOf(original: WrittenFolder): Promise<WrittenFolder> {
    const folder = await createTemporaryFolder('copy');
    cpSync(original.path, folder.path, { recursive: true, filter: (name) => !/lock/.test(basename(name)) });
    const load = { folder: folder.path, fromEnvironment: undefined, isBegun: true, hasTexts: () => true };
    const copy = new WrittenFolder(folder, KeyRing.load(load));
    copy.#lastOrderId = original.#lastOrderId;
    return copy;
  }

  get position(): number {
    return this.#log.head.position;
  }

  /** Items for sale, in one fact. */
  async addStock(count: number, bytesPerText = 20): Promise<void> {
    const firstItem = this.items.length;
    for (let item = firstItem; item < firstItem + count; item += 1) {
      this.items.push(`item ${item} ${randomBytes(bytesPerText).toString('hex').slice(0, bytesPerText)}`);
    }
    this.#stock.write(() => {
      for (let block = blockOf(firstItem); block <= blockOf(firstItem + count - 1); block += 1) {
        const texts = this.items.slice(block * ITEMS_PER_BLOCK, (block + 1) * ITEMS_PER_BLOCK);
        writeBlock(
          this.#stock,
          PRODUCT,
          block,
          texts.map((text) => Buffer.from(text)),
        );
      }
    });
    await this.#addedStock(firstItem, count);
  }

  /** As a folder that was damaged has it: a fact names items that aren't there. */
  async loseStock(): Promise<void> {
    await this.#addedStock(this.items.length, 3);
  }

  async deliver(texts: readonly string[]): Promise<void> {
    this.#lastOrderId += 1;
    const orderId = this.#lastOrderId;
    const key = numberKey(orderId);
    const encoded = await encodeOrderTexts(texts);
    this.#stock.write(() => this.#stock.put('deliveries', key, this.#stock.cipher.seal(encoded, key)));
    this.orderTexts.set(orderId, [...texts]);
    const delivered = order(orderId, { textCount: texts.length });
    await this.append([{ kind: 'OrderDelivered', atMs: START_MS, order: delivered }]);
  }

  async setFile(content: Buffer): Promise<string> {
    const file = await this.#store.add(chunksOf(content), 'application/pdf');
    this.files.set(file.fileId, content);
    await this.append([{ kind: 'ProductFileSet', atMs: START_MS, productId: PRODUCT, file }]);
    return file.fileId;
  }

  async sell(count: number): Promise<void> {
    const facts = Array.from({ length: count }, () => {
      this.#lastOrderId += 1;
      return placed(this.#lastOrderId, {}, START_MS + this.#lastOrderId);
    });
    await this.append(facts);
  }

  /** Where an account's webhook events are. */
  setQueue(accountId: number, firstOpen: number): void {
    const batch = new OutboxBatch();
    this.#outbox.putQueue(batch, accountId, { firstOpen, cancelBelow: 0, sweptBelow: 0 });
    this.#outbox.commit(batch);
  }

  /** Anything, in some groups. */
  async live(random: Random, groups: number): Promise<void> {
    for (let group = 0; group < groups; group += 1) {
      const choice = random.next();
      if (choice < 0.6) await this.sell(random.between(1, 30));
      else if (choice < 0.8) await this.addStock(random.between(1, 300), random.between(1, 200));
      else if (choice < 0.9) await this.deliver([`a ${group}`, `b ${group}`]);
      else await this.setFile(randomBytes(random.between(1, 3_000_000)));
    }
  }

  #addedStock(firstItem: number, count: number): Promise<void> {
    const lot = { lotId: firstItem + 1 };
    return this.append([
      { kind: 'StockAdded', atMs: START_MS, productId: PRODUCT, firstItem, count, lot } as unknown as Fact,
    ]);
  }

  append(facts: readonly Fact[]): Promise<void> {
    return this.#journal.append(this.#log.head.position + 1, facts).then(() => undefined);
  }

  /** Lets go of the files; the folder stays. */
  async close(): Promise<void> {
    await this.#log.close();
    await this.#stock.environment.close();
    await this.#store.close();
    await this.#outbox.close();
  }

  async remove(): Promise<void> {
    await this.#folder.remove();
  }
}

async function* chunksOf(content: Buffer): AsyncIterable<Uint8Array> {
  yield content;
}
