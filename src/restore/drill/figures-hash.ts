/** The hash of a state's figures (`state-figures.ts`), made in slices: the main thread has other work between two. */
import { createHash } from 'node:crypto';
import { ownTick } from '../../shared/event-loop.ts';

/** One takes less than a millisecond. */
const SLICE_BYTES = 256 * 1024;

/** Hexadecimal SHA-256. */
export async function hashOfFigures(figures: Float64Array): Promise<string> {
  const hash = createHash('sha256');
  const bytes = new Uint8Array(figures.buffer, figures.byteOffset, figures.byteLength);
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    hash.update(bytes.subarray(at, at + SLICE_BYTES));
    await ownTick();
  }
  return hash.digest('hex');
}
