/**
 * Stores a receipt after each purchase: in a file, one a line, or by a function of the program.
 *
 * Invariant: whatever goes wrong with a receipt is told (`onReceiptError`), and the purchase is answered as it is; when
 * the purchase is answered, its receipt is stored or that was told. A line is on disk when it counts as stored, and one
 * that a crash cut short never spoils the next. Rejected: to store in the background, where the end of the program
 * would lose what nobody waits for.
 */
import type { ApiCaller, CallOptions } from './api-caller.ts';
import type { PlacedOrder, Receipt } from './resources.ts';

export interface ReceiptFile {
  /**
   * The path of the file, which is made when it isn't there, and only ever appended to. For runtimes with files: Node,
   * Deno, Bun.
   */
  readonly file: string;
}

/** Keeps a receipt; what it throws or rejects with goes to `onReceiptError`. */
export type KeepReceipt = (receipt: string, order: PlacedOrder) => Promise<void> | void;

/** Told that the receipt of a purchase that happened is not stored. The function must not throw. */
export type OnReceiptError = (error: unknown, order: PlacedOrder) => void;

export class ReceiptStore {
  readonly #caller: ApiCaller;
  readonly #keep: KeepReceipt;
  readonly #onError: OnReceiptError;

  constructor(caller: ApiCaller, to: ReceiptFile | KeepReceipt, onError: OnReceiptError) {
    this.#caller = caller;
    this.#keep = typeof to === 'function' ? to : appender(to.file);
    this.#onError = onError;
  }

  /** Resolves when it is stored, or it was told that it isn't. */
  async store(order: PlacedOrder, options?: CallOptions): Promise<void> {
    // It has none: nothing is charged for it any more.
    if (order.status === 'failed') return;
    try {
      const { receipt } = await receiptOf(this.#caller, order.orderId, options);
      await this.#keep(receipt, order);
    } catch (error) {
      this.#onError(error, order);
    }
  }
}

/** Rejects with a `PurserError`. */
export function receiptOf(caller: ApiCaller, orderId: number, options?: CallOptions): Promise<Receipt> {
  return caller.json({ method: 'GET', path: `/orders/${orderId}/receipt` }, options);
}

/** The part of `node:fs/promises` that is used; other runtimes have it as well. */
interface Files {
  open(path: string, flags: string, mode?: number): Promise<OpenFile>;
}

interface OpenFile {
  stat(): Promise<{ readonly size: number }>;
  read(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  appendFile(text: string): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** In a variable, so that bundlers for runtimes without files leave it alone. */
const FILES = 'node:fs/promises';
const LINE_FEED = 0x0a;
/** A receipt belongs to whoever bought. */
const OWNER_ONLY = 0o600;

/** Appends line after line, one at a time. */
function appender(path: string): KeepReceipt {
  let last: Promise<void> = Promise.resolve();
  return (receipt) => {
    const appended = last.then(() => append(path, receipt));
    last = appended.catch(() => undefined);
    return appended;
  };
}

async function append(path: string, receipt: string): Promise<void> {
  const files = (await import(FILES)) as Files;
  const file = await files.open(path, 'a+', OWNER_ONLY);
  try {
    const { size } = await file.stat();
    const isCutShort = size > 0 && (await byteAt(file, size - 1)) !== LINE_FEED;
    await file.appendFile(`${isCutShort ? '\n' : ''}${receipt}\n`);
    await file.sync();
    if (size === 0) await syncFolder(files, path);
  } finally {
    await file.close();
  }
}

async function byteAt(file: OpenFile, position: number): Promise<number | undefined> {
  const bytes = new Uint8Array(1);
  await file.read(bytes, 0, 1, position);
  return bytes[0];
}

/** So that a new file is found after a power cut. Some systems open no folders: then it is theirs to see to. */
async function syncFolder(files: Files, path: string): Promise<void> {
  const folder = await files.open(path.replace(/[^/\\]*$/, '') || '.', 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
