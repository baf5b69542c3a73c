/**
 * What `test/run.ts` knows of how long files take. A file that isn't named here runs after those that are; a wrong
 * name costs time and nothing else.
 */

/** Those that take the most processor time, longest first, so that none of them is left alone at the end. */
export const LONGEST_FIRST: readonly string[] = [
  'contract/both-transports',
  'crash/restore',
  'restore/restored-shop',
  'bench/peers',
  'bench/contention',
  'month/month',
  'console/accounts',
  'console/frame',
  'console/sign-in',
  'console/endless-list',
  'crash/failing-disk',
  'crash/archive',
  'archive/archived-like-whole',
  'crash/feed',
  'crash/rekey',
  'crash/product-files',
  'contract/node-restarts',
  'crash/bad-folder',
  'crash/damaged-folder',
  'http/operator/money',
  'bench/suppliers',
  'client/package',
  'restore/drill/node-drill',
  'packaging/package',
  'packaging/deb',
  'persistence/migration/migrate-folder',
  'crash/million-codes',
  'crash/power-cut',
  'crash/events-read-twice',
  'crash/webhook-backlog',
  'bench/scenarios',
  'crash/kill-minus-nine',
  'crash/full-disk',
  'cli/bin',
  'crash/supplier-interrupted',
  'http/fuzz/fuzz',
  'feed/bot-bridge',
  'persistence/folder-lock',
  'crash/webhooks',
  'cli/process',
  'webhooks/webhook-change',
  'crash/verify',
  'persistence/lmdb-renewal',
  'persistence/lmdb-file',
  'persistence/file-crash',
  'persistence/stock-duplicates',
  'persistence/stock-crash',
  'persistence/lmdb-file-damage',
  'cli/calls',
];

/** Those that wait for timers most of the time: they run beside the others and take no slot. */
export const SLEEPERS: readonly string[] = [
  'demo',
  'http/transport/slow-client',
  'http/transport/refusal',
  'outgoing/host-resolver',
  'http/transport/body-stream',
  'cluster/postgres-connection',
];

/** They have a process of their own, so that what is long runs beside what is long. */
export const ALONE: readonly string[] = [...LONGEST_FIRST, ...SLEEPERS];
