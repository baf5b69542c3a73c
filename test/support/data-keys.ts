/** Data keys of no folder. */
import { randomBytes } from 'node:crypto';
import { DataKeys, KEY_BYTES } from '../../src/persistence/keys/data-keys.ts';

export function randomDataKeys(): DataKeys {
  return DataKeys.create(randomBytes(KEY_BYTES), randomBytes(KEY_BYTES));
}
