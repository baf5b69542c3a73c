/**
 * One hash of all that the facts of a journal come to: the same for every folder that has the same facts, whatever its
 * checkpoint, its past and its machine are. The journal's own hash is part of it, and with it every order and every key.
 */
import { createHash } from 'node:crypto';
import { canonicalTables } from './state-tables.ts';
import type { Proved } from './verify.ts';

/** Hexadecimal SHA-256. */
export function stateDigest({ state, head }: Proved): string {
  const hash = createHash('sha256');
  for (const line of canonicalTables(state)) hash.update(`${line}\n`);
  return hash.update(`journal ${head.hash.toString('hex')}\n`).digest('hex');
}
