/** Many texts in portions, each of which is worked at in a moment. */
import type { Hmac } from 'node:crypto';
import { Slices } from '../../shared/slices.ts';

const MAX_TEXTS = 1_024;
const MAX_LENGTH = 256 * 1024;

/** Some texts each. */
export function* textPortions(texts: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < texts.length; ) {
    let end = start;
    let length = 0;
    while (end < texts.length && end - start < MAX_TEXTS && length < MAX_LENGTH) {
      length += texts[end]?.length ?? 0;
      end += 1;
    }
    yield texts.slice(start, end);
    start = end;
  }
}

/** Adds the JSON of the list to the hash, in slices. */
export async function updateWithList(hash: Hmac, texts: readonly string[]): Promise<void> {
  const slices = new Slices();
  let before = '[';
  for (const portion of textPortions(texts)) {
    if (slices.isFull) await slices.rest();
    hash.update(before).update(JSON.stringify(portion).slice(1, -1));
    before = ',';
  }
  hash.update(texts.length === 0 ? '[]' : ']');
}
