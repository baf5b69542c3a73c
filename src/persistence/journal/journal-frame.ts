/**
 * A frame is one group of facts in the journal: what is committed together.
 *
 *   0  version (4)   4  crc32 of what follows (4)   8  first sequence (8)   16  count (4)
 *   20  SHA-256 of the frame before (32)   52  the facts
 *
 * The checksum finds damage; the hashes make a chain, so that a frame that was altered, removed or put in
 * from elsewhere breaks the link to the next one.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Fact } from '../../engine/fact.ts';
import { ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import { type PurchaseVisitor, passPurchase, readFact, writeFact } from './fact-codec.ts';

const FRAME_VERSION = 1;
export const HEADER_BYTES = 52;
const CHECKSUM_END = 8;
const HASH_BYTES = 32;

/** The frame's bytes, in memory of their own. `scratch` is overwritten. */
export function encodeFrame(
  scratch: ByteWriter,
  firstSequence: number,
  facts: readonly Fact[],
  previousHash: Uint8Array,
): Buffer {
  scratch.reset();
  scratch.skip(HEADER_BYTES);
  for (const fact of facts) writeFact(scratch, fact);
  const frame = scratch.copy();
  frame.writeUInt32LE(FRAME_VERSION, 0);
  frame.writeDoubleLE(firstSequence, 8);
  frame.writeUInt32LE(facts.length, 16);
  frame.set(previousHash, 20);
  frame.writeUInt32LE(crc32(frame.subarray(CHECKSUM_END)), 4);
  return frame;
}

export function frameHash(frame: Uint8Array): Buffer {
  return createHash('sha256').update(frame).digest();
}

export interface FrameHead {
  readonly firstSequence: number;
  readonly count: number;
  /** The hash of the frame before; of the first one, `GENESIS`'s. */
  readonly previousHash: Buffer;
}

/** Throws `DamagedDataError` when the bytes are no sound frame. */
export function readHead(bytes: Buffer): FrameHead {
  if (bytes.length < HEADER_BYTES) throw new DamagedDataError('a journal frame is cut short');
  const version = bytes.readUInt32LE(0);
  if (version !== FRAME_VERSION) throw new DamagedDataError(`a journal frame has version ${version}`);
  const firstSequence = bytes.readDoubleLE(8);
  if (crc32(bytes.subarray(CHECKSUM_END)) !== bytes.readUInt32LE(4)) {
    throw new DamagedDataError(`the journal frame at ${firstSequence} has a wrong checksum`);
  }
  const previousHash = Buffer.from(bytes.subarray(20, 20 + HASH_BYTES));
  return { firstSequence, count: bytes.readUInt32LE(16), previousHash };
}

/** The sequence of a frame's first fact, and of its last. Nothing is proved. */
export function extentOf(bytes: Buffer): { readonly first: number; readonly last: number } {
  if (bytes.length < HEADER_BYTES) throw new DamagedDataError('a journal frame is cut short');
  const first = bytes.readDoubleLE(8);
  return { first, last: first + bytes.readUInt32LE(16) - 1 };
}

/** The sequence of the last fact of these frames. Throws when they don't go on behind `position`, one behind the other. */
export function lastBehind(position: number, frames: readonly Buffer[]): number {
  let end = position;
  for (const frame of frames) {
    const { first, last } = extentOf(frame);
    if (first !== end + 1)
      throw new Error(`a frame from ${first} doesn't follow the log's last fact, ${end}`);
    end = last;
  }
  return end;
}

/** The facts of the frame whose head it is. Throws `DamagedDataError` when they aren't what the frame should hold. */
export function decodeFacts(bytes: Buffer, head: FrameHead): Fact[] {
  const facts: Fact[] = [];
  visitFacts(bytes, head, { fact: (fact) => facts.push(fact) });
  return facts;
}

/** Takes facts one by one, each with its sequence. */
export interface FactVisitor {
  fact(fact: Fact, sequence: number): void;
  /** Whether it can do without those of purchases for now; asked before each. */
  readonly skipsPurchases?: boolean;
  /** Else, what takes those that are not wanted whole. */
  readonly purchases?: PurchaseVisitor;
}

/**
 * Hands on the facts of the frame whose head it is. Throws `DamagedDataError` when they aren't what the frame should
 * hold.
 */
export function visitFacts(bytes: Buffer, { firstSequence, count }: FrameHead, visitor: FactVisitor): void {
  const reader = new ByteReader(bytes, HEADER_BYTES);
  const { purchases } = visitor;
  for (let index = 0; index < count; index += 1) {
    const sequence = firstSequence + index;
    if (purchases !== undefined && passPurchase(reader, purchases, sequence)) continue;
    if (visitor.skipsPurchases === true && passPurchase(reader)) continue;
    visitor.fact(readFact(reader), sequence);
  }
  if (!reader.isAtEnd) throw new DamagedDataError(`the journal frame at ${firstSequence} is too long`);
}
