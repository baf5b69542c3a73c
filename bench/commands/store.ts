/**
 * `npm run bench -- store`: what the checkpoint's store costs by itself, without a node: folds of so many orders and
 * their reads, look-ups among so many keys, the start with so many accounts; and buyers' catalogs for so many price lists.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { measurePart, type StorePart } from '../store/part.ts';
import { BadFlagError, wholeNumber } from './contention-options.ts';

export interface StoreFlags {
  readonly orders?: string;
  readonly keys?: string;
  readonly accounts?: string;
  readonly lists?: string;
}

interface StoreEnvironment {
  /** Empty. */
  readonly folder: string;
  readonly print: (text: string) => void;
}

const MOST = 1_000_000_000;
/** Fewer don't give each account a page. */
const LEAST_ORDERS = 20_000;

/** Throws `BadFlagError` with a sentence for the user. */
export async function runStore(flags: StoreFlags, { folder, print }: StoreEnvironment): Promise<void> {
  const countOf = (name: keyof StoreFlags, usual: number) =>
    wholeNumber(`--${name}`, flags[name] ?? String(usual), 0, MOST);
  const orders = countOf('orders', 10_000_000);
  if (orders > 0 && orders < LEAST_ORDERS)
    throw new BadFlagError(`--orders takes 0, or ${LEAST_ORDERS} or more, not "${orders}"`);
  const measured: readonly (readonly [count: number, parts: readonly StorePart[]])[] = [
    [orders, ['fold-orders', 'read-orders']],
    [countOf('keys', 40_000_000), ['write-keys', 'ask-keys']],
    [countOf('accounts', 1_000_000), ['write-accounts', 'load-accounts']],
    [countOf('lists', 50), ['catalogs']],
  ];
  const place = join(folder, 'store');
  for (const [count, parts] of measured) {
    if (count === 0) continue;
    await mkdir(place);
    for (const part of parts) print(await measurePart(part, place, count));
    await rm(place, { recursive: true });
  }
}
