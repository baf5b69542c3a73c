/**
 * Purchases that are not done: each is stored before its request goes out, so that a crash loses none.
 *
 * The file has one line of JSON for each purchase begun and for each one done; the clients in other languages read and
 * write the same. Programs that run at the same time must not share a file.
 */
import { LineFile } from './line-file.ts';

export interface StoredPurchase {
  readonly idempotencyKey: string;
  /** The JSON that is sent, as it is. */
  readonly body: string;
}

/** Write your own to keep purchases in a database. */
export interface PurchaseStore {
  /** Resolves when it is stored for good. A key may be saved again, with the same body. */
  save(purchase: StoredPurchase): Promise<void>;
  /** The purchase is done. A key that isn't there is no error. */
  remove(idempotencyKey: string): Promise<void>;
  /** All that are not done, oldest first. */
  unfinished(): Promise<readonly StoredPurchase[]>;
}

export interface PurchaseFile {
  /** The path of the file, which is made when it isn't there, and only ever appended to. */
  readonly file: string;
}

export function purchaseStoreOf(store: PurchaseStore | PurchaseFile): PurchaseStore {
  return 'file' in store ? new FilePurchaseStore(store.file) : store;
}

class FilePurchaseStore implements PurchaseStore {
  readonly #file: LineFile;

  constructor(path: string) {
    this.#file = new LineFile(path);
  }

  save({ idempotencyKey, body }: StoredPurchase): Promise<void> {
    return this.#file.append(JSON.stringify({ idempotencyKey, body }));
  }

  remove(idempotencyKey: string): Promise<void> {
    return this.#file.append(JSON.stringify({ idempotencyKey, done: true }));
  }

  async unfinished(): Promise<readonly StoredPurchase[]> {
    const bodies = new Map<string, string>();
    for (const line of await this.#file.lines()) {
      const { idempotencyKey, body } = rowOf(line);
      if (idempotencyKey === undefined) continue;
      if (body === undefined) bodies.delete(idempotencyKey);
      else bodies.set(idempotencyKey, body);
    }
    return Array.from(bodies, ([idempotencyKey, body]) => ({ idempotencyKey, body }));
  }
}

/** Without fields for a line that a crash cut short. */
function rowOf(line: string): Partial<StoredPurchase> {
  try {
    return JSON.parse(line) as Partial<StoredPurchase>;
  } catch {
    return {};
  }
}
