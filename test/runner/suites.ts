/**
 * The suites: proofs that take too long for every change. Each is a folder of `test/suites/`, but for that of the
 * benchmarks, whose tests are in their workspace; and a command of its own, `npm run test:NAME`. Everything else below
 * `test/` is the first tier, `npm test`.
 *
 * `OWED` says which suites a change owes, by the folder that it touches. CONTRIBUTING.md shows the same table.
 */
export interface Suite {
  /** The proof that the suite is, in a line. */
  readonly proves: string;
  /** The folder of its files; by default `test/suites/` with its name. */
  readonly folder?: string;
  /** Whether the files share what takes long to start, such as a browser, so they are one process. */
  readonly isOneProcess?: boolean;
  /** Whether the files run one after the other: each measures, or takes all that the machine has. */
  readonly isOneAtATime?: boolean;
}

export type SuiteName =
  | 'sim'
  | 'fuzz'
  | 'crash'
  | 'restore'
  | 'cluster'
  | 'console'
  | 'packaging'
  | 'bench'
  | 'month'
  | 'bot'
  | 'monitoring'
  | 'clients'
  | 'deposits';

export const SUITES: Readonly<Record<SuiteName, Suite>> = {
  sim: {
    proves:
      'random traffic with a simulated clock, disk and suppliers, crashes included, against naive models',
  },
  fuzz: { proves: 'no request, however broken, ends the server or is answered beside the document' },
  crash: {
    proves: 'kill -9, failing and full disks, power cuts and damaged files of the real process lose nothing',
  },
  restore: { proves: 'a restored shop sells nothing twice' },
  cluster: {
    proves:
      'nodes that share a log in PostgreSQL: leaders and servers die, and no purchase is lost or made twice',
    isOneProcess: true,
  },
  console: { proves: 'every screen of the console, in a real browser', isOneProcess: true },
  packaging: { proves: 'what is shipped installs, starts, upgrades, and works behind proxies' },
  bench: {
    proves: 'the benchmark measures what it says, and its checks find what is wrong',
    folder: 'bench/test/',
  },
  month: {
    proves: 'a month of a shop: its money, in every statement and report, is that of an outside ledger',
  },
  bot: { proves: 'fifty chats show what the ledger has, though the bot is killed at every step' },
  monitoring: { proves: 'the dashboard and the alert rules, in a real Prometheus', isOneAtATime: true },
  clients: { proves: 'buyers’ programs in Python, PHP and Go, and generated ones, do what the API asks' },
  deposits: {
    proves:
      'kill -9 of the watcher of deposits loses none and doubles none; it is quick, and its memory has a bound',
    isOneAtATime: true,
  },
};

/**
 * Suites that a change owes, by the longest beginning of its path. A path that no row names owes the first tier alone.
 */
export const OWED: Readonly<Record<string, readonly SuiteName[]>> = {
  'src/shared/': ['crash', 'restore', 'cluster'],
  'src/engine/': ['sim', 'crash', 'restore', 'month'],
  'src/engine/deposits/': ['sim', 'crash', 'restore', 'month', 'deposits'],
  'src/fulfilment/': ['sim', 'crash'],
  'src/suppliers/': ['sim', 'crash'],
  'src/persistence/': ['sim', 'crash', 'restore', 'month'],
  'src/tables/': ['console', 'packaging'],
  'src/threads/': ['crash'],
  'src/backup/': ['restore'],
  'src/restore/': ['restore'],
  'src/receipts/': ['restore'],
  'src/recovery/': ['restore'],
  'src/cluster/': ['cluster'],
  'src/webhooks/': ['crash'],
  'src/feed/': ['crash', 'bot'],
  'src/outgoing/': ['crash'],
  'src/http/': ['fuzz', 'month'],
  'src/http/operator/': ['console', 'month'],
  'src/http/schemas/': ['fuzz', 'month', 'clients'],
  'test/client/table/': ['clients'],
  'src/views/': ['console', 'month'],
  'src/access-log/': [],
  'src/alerts/': ['monitoring'],
  'src/metrics/': ['monitoring'],
  'clients/': ['clients'],
  'src/client/': ['packaging'],
  'src/config/': ['packaging'],
  'src/doctor/': ['packaging'],
  'src/cli/': ['packaging'],
  'src/cli/deposits/': ['packaging', 'deposits'],
  'test/cli/deposits/': ['deposits'],
  'src/bot/': ['bot', 'packaging'],
  'src/cli/bot.ts': ['bot', 'packaging'],
  'test/support/telegram/': ['bot'],
  'src/node/': ['crash', 'cluster', 'packaging'],
  'src/demo/': ['packaging'],
  'src/': ['crash', 'cluster', 'packaging'],
  'console/': ['console'],
  'bench/': ['bench'],
  'bin/': ['packaging'],
  'deploy/': ['packaging'],
  'docs/monitoring/': ['monitoring'],
  'docs/buyer-guide.md': ['clients'],
  'docs/clients/': ['clients'],
  'examples/': ['packaging'],
  'examples/buyer.postman_collection.json': ['packaging', 'clients'],
  'packaging/': ['packaging'],
  'package-lock.json': ['crash', 'cluster', 'console', 'packaging'],
  ...Object.fromEntries(suiteNames().map((name) => [suiteFolder(name), [name]])),
};

export function suiteNames(): SuiteName[] {
  return Object.keys(SUITES) as SuiteName[];
}

/** From the root of the repository. */
export function suiteFolder(name: SuiteName): string {
  return SUITES[name].folder ?? `test/suites/${name}/`;
}

export function isSuite(name: string): name is SuiteName {
  return Object.hasOwn(SUITES, name);
}

/** In the order of `SUITES`, which is that of how much they guard. `paths` are relative to the repository. */
export function suitesOwedBy(paths: readonly string[]): SuiteName[] {
  const owed = new Set(paths.flatMap((path) => OWED[rowOf(path) ?? ''] ?? []));
  return suiteNames().filter((name) => owed.has(name));
}

function rowOf(path: string): string | undefined {
  const rows = Object.keys(OWED).filter((beginning) => path.startsWith(beginning));
  return rows.sort((a, b) => b.length - a.length)[0];
}
