/** The hash of a state's figures (`state-figures.ts`), made in bites: the main thread has other work between two. */
import { createHash } from 'node:crypto';
import { ownTurn } from '../../shared/turns.ts';

/** One takes less than a millisecond. */
const BITE_BYTES = 256 * 1024;

/** Hexadecimal SHA-256. */
export async function hashOfFigures(figures: Float64Array): Promise<string> {
  const hash = createHash('sha256');
  const bytes = new Uint8Array(figures.buffer, figures.byteOffset, figures.byteLength);
  for (let at = 0; at < bytes.length; at += BITE_BYTES) {
    hash.update(bytes.subarray(at, at + BITE_BYTES));
    await ownTurn();
  }
  return hash.digest('hex');
}
