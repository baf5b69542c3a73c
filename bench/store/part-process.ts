/** One part of `npm run bench -- store`, in a process of its own: `part-process PART FOLDER COUNT`. */
import { catalogs } from './catalogs.ts';
import { foldOrders } from './fold-orders.ts';
import { loadAccounts, writeAccounts } from './many-accounts.ts';
import { askKeys, writeKeys } from './many-keys.ts';
import type { StorePart } from './part.ts';
import { readOrders } from './read-orders.ts';

const parts: Readonly<Record<StorePart, (folder: string, count: number) => Promise<string>>> = {
  'fold-orders': foldOrders,
  'read-orders': readOrders,
  'write-keys': writeKeys,
  'ask-keys': askKeys,
  'write-accounts': writeAccounts,
  'load-accounts': loadAccounts,
  catalogs,
};

const [, , part, folder = '', count] = process.argv;
process.stdout.write(await parts[part as StorePart](folder, Number(count)));
