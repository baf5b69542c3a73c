/**
 * One branch or leaf page of an LMDB file, held in memory and proved sound by itself: its header, and that its
 * nodes lie side by side from `upper` to the page's end with nothing between or under them. LMDB keeps pages that
 * way, and it is what makes a wrong offset or size show.
 */
import {
  BRANCH_PAGE,
  HEADER_BYTES,
  LEAF_PAGE,
  NODE_FLAGS_AT,
  NODE_HEADER_BYTES,
  NODE_KEY_SIZE_AT,
  OVERFLOW_NODE,
  OVERFLOW_REFERENCE_BYTES,
  PAGE_FLAGS_AT,
  PAGE_LOWER_AT,
  PAGE_TRANSACTION_AT,
  PAGE_UPPER_AT,
  readUint64,
} from './lmdb-format.ts';
import type { PageFile } from './page-file.ts';
import type { PageUse } from './page-use.ts';

export class LmdbPage {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  number = 0;
  transaction = 0;
  isLeaf = false;
  nodeCount = 0;
  /** Size of the node that begins at twice the index; 0 where none begins. */
  readonly #sizeAt: Uint16Array;
  readonly #file: PageFile;
  #upper = 0;

  constructor({ file, pageBytes }: PageUse) {
    this.bytes = new Uint8Array(pageBytes);
    this.view = new DataView(this.bytes.buffer);
    this.#sizeAt = new Uint16Array(pageBytes / 2);
    this.#file = file;
  }

  /** @throws DamagedFileError when the page is not a sound branch or leaf page of that number */
  load(number: number): void {
    this.#file.readAt(this.bytes, number * this.bytes.length);
    this.number = number;
    this.#loadHeader();
    this.#proveNodes();
  }

  /** Where the node begins, in `bytes`. */
  nodeAt(index: number): number {
    return HEADER_BYTES + this.view.getUint16(HEADER_BYTES + 2 * index, true);
  }

  keyAt(index: number): number {
    return this.nodeAt(index) + NODE_HEADER_BYTES;
  }

  keyBytes(index: number): number {
    return this.view.getUint16(this.nodeAt(index) + NODE_KEY_SIZE_AT, true);
  }

  /** Flags of a leaf's node. */
  nodeFlags(index: number): number {
    return this.view.getUint16(this.nodeAt(index) + NODE_FLAGS_AT, true);
  }

  /** Size of a leaf node's data, wherever that lies. */
  dataBytes(index: number): number {
    return this.view.getUint32(this.nodeAt(index), true);
  }

  /** Where a leaf node's data, or its reference to overflow pages, begins. */
  dataAt(index: number): number {
    return this.keyAt(index) + this.keyBytes(index);
  }

  /** Page number in a branch node. */
  child(index: number): number {
    const at = this.nodeAt(index);
    return this.view.getUint16(at + NODE_FLAGS_AT, true) * 0x1_0000_0000 + this.view.getUint32(at, true);
  }

  damaged(what: string): Error {
    return this.#file.damaged(this.number, what);
  }

  #loadHeader(): void {
    const number = readUint64(this.view, 0);
    if (number !== this.number) throw this.damaged(`says it is page ${number}`);
    const flags = this.view.getUint16(PAGE_FLAGS_AT, true);
    if (flags !== LEAF_PAGE && flags !== BRANCH_PAGE) {
      throw this.damaged(`flags 0x${flags.toString(16)} instead of a branch's or a leaf's`);
    }
    const lower = this.view.getUint16(PAGE_LOWER_AT, true);
    this.#upper = this.view.getUint16(PAGE_UPPER_AT, true);
    const isWithin = lower > 0 && lower <= this.#upper && this.#upper <= this.bytes.length - HEADER_BYTES;
    if (!isWithin || lower % 2 !== 0 || this.#upper % 2 !== 0) {
      throw this.damaged(`bounds ${lower} and ${this.#upper}`);
    }
    this.transaction = readUint64(this.view, PAGE_TRANSACTION_AT);
    this.isLeaf = flags === LEAF_PAGE;
    this.nodeCount = lower / 2;
  }

  #proveNodes(): void {
    const sizeAt = this.#sizeAt;
    const end = this.bytes.length;
    const first = HEADER_BYTES + this.#upper;
    sizeAt.fill(0);
    for (let index = 0; index < this.nodeCount; index += 1) {
      const at = this.nodeAt(index);
      if (at < first || at % 2 !== 0 || at + NODE_HEADER_BYTES > end)
        throw this.damaged(`node ${index} at ${at}`);
      const size = this.#nodeBytes(at);
      if (at + size > end) throw this.damaged(`node ${index} of ${size} bytes at ${at}`);
      sizeAt[at / 2] = size;
    }
    let at = first;
    let count = 0;
    while (at < end) {
      const size = sizeAt[at / 2] as number;
      if (size === 0) throw this.damaged(`nodes leave a gap or overlap at ${at}`);
      at += size;
      count += 1;
    }
    if (count !== this.nodeCount)
      throw this.damaged(`${this.nodeCount} nodes, of which ${count} have a place`);
  }

  /** Nodes begin at even places. */
  #nodeBytes(at: number): number {
    let size = NODE_HEADER_BYTES + this.view.getUint16(at + NODE_KEY_SIZE_AT, true);
    if (this.isLeaf) {
      const isOverflow = (this.view.getUint16(at + NODE_FLAGS_AT, true) & OVERFLOW_NODE) !== 0;
      size += isOverflow ? OVERFLOW_REFERENCE_BYTES : this.view.getUint32(at, true);
    }
    return size + (size % 2);
  }
}
