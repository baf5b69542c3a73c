/**
 * An answer of any size, made in slices: each is small in time and in bytes, and the next one is made when the client has
 * taken it. So one that nobody reads costs a slice of memory, and the rest of it no work.
 *
 * Its length isn't known before its end, so it goes out in HTTP's own chunks, unless one slice is all of it.
 */

import { ownTick } from '../shared/event-loop.ts';
import { Slices } from '../shared/slices.ts';
import type { JsonParts } from './json-parts.ts';
import type { ReplyBody } from './transport/reply-stream.ts';

/** The length of a slice, in characters. */
const SLICE_LENGTH = 64 * 1024;
/** A reader that takes nothing for this long is given up. */
const READER_IDLE_TIMEOUT_MS = 30_000;

export interface Slice {
  readonly text: string;
  /** Whether there may be more. */
  readonly isLast: boolean;
}

/** Throws what making the parts throws. */
export function nextSlice(parts: JsonParts): Slice {
  const slices = new Slices();
  let text = '';
  while (text.length < SLICE_LENGTH && (text === '' || !slices.isFull)) {
    const { value, done } = parts.next();
    if (done === true) return { text, isLast: true };
    text += value;
  }
  return { text, isLast: false };
}

export class SlicedAnswer implements ReplyBody {
  readonly lengthBytes = undefined;
  readonly idleTimeoutMs = READER_IDLE_TIMEOUT_MS;
  readonly #parts: JsonParts;
  readonly #onClose: () => void;
  #first: string;

  /** `first` is made already; `onClose` is called once. */
  constructor(first: string, parts: JsonParts, onClose: () => void = () => {}) {
    this.#first = first;
    this.#parts = parts;
    this.#onClose = onClose;
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#first === '') {
      await ownTick();
      this.#first = nextSlice(this.#parts).text;
    }
    const text = this.#first;
    this.#first = '';
    return text === '' ? undefined : Buffer.from(text);
  }

  async close(): Promise<void> {
    this.#onClose();
  }
}
