import type { Settings } from '../settings.ts';

/**
 * How the database is opened. `EXCLUSIVE` comes before `WAL`: one connection has the file for itself, so that the index
 * of the log is in its own memory and needs no locks. The log is folded into the database every 16 MB and kept at 64 MB.
 *
 * Measured and left out, in processor time a purchase: `mmap_size` (6 % more than the cache alone), checkpoints every
 * 1,000 pages (10 % more), pages of 1 or 2 KiB (more again: most of a commit is the pages it writes).
 */
export const pragmas: Settings = {
  locking_mode: ['EXCLUSIVE', 'one connection: no locks, and the index of the log in its own memory'],
  journal_mode: 'WAL',
  synchronous: ['FULL', 'a commit is answered when it is on disk'],
  wal_autocheckpoint: ['4000', 'pages, 16 MB: fewer checkpoints than by default'],
  journal_size_limit: '67108864',
  cache_size: ['-131072', '128 MB'],
  temp_store: 'MEMORY',
};
