/**
 * The table of every setting: the single source of the command line's flags, the names in the environment,
 * the keys of the configuration file, and their help.
 *
 * Separate parsers for each source were rejected: they drift apart, and the one that nobody tests is the one
 * that an operator uses.
 */
import { DEPOSIT_OPTIONS, type DepositSettings } from './deposit-options.ts';
import {
  type AlertTarget,
  alertTargets,
  backupTarget,
  choice,
  cidr,
  dnsServer,
  duration,
  file,
  flag,
  folder,
  host,
  hostName,
  list,
  listenPort,
  nodeName,
  origin,
  percentage,
  sharedLog,
  sharedSecret,
  wholeNumber,
} from './option-kind.ts';
import { type OptionSpec, option } from './option-spec.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** All settings; names end with their unit. */
export interface Settings extends DepositSettings {
  /** Absolute path of the data folder. */
  readonly dataDir: string;
  /** Where the buyer API listens; port 0 lets the system choose. */
  readonly host: string;
  readonly port: number;
  /** Where the operator API listens. */
  readonly operatorHost: string;
  readonly operatorPort: number;
  /** Absolute paths of the files that let the buyers' listener speak TLS; undefined: it speaks plain HTTP. */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  /** Names by which the operators' listener may be called, beside `localhost`, its `operatorHost` and any IP address. */
  readonly operatorNames: readonly string[];
  readonly demo: boolean;
  /** `auto`: `uws` where its binary loads, else `node`. */
  readonly transport: 'auto' | 'uws' | 'node';
  /** Ranges, as `address/prefix`, that webhooks may reach although they are not public (SPEC.md §6). */
  readonly webhookAllow: readonly string[];
  /** `address:port` or `[address]:port`; undefined for the system's resolvers. */
  readonly dnsServer: string | undefined;
  /** Ranges, as `address/prefix`, of trusted proxies, whose X-Forwarded-For is used. */
  readonly trustProxy: readonly string[];
  /** How long a receiver has to answer an attempt (SPEC.md §6: 10 s). */
  readonly webhookTimeoutMs: number;
  /** The waits between attempts: one attempt more than entries (SPEC.md §6: four waits, five attempts). */
  readonly webhookRetriesMs: readonly number[];
  /**
   * How long events that ended are kept, with their attempts; also how long one can wait for its first (SPEC.md §6).
   */
  readonly webhookHistoryMs: number;
  /** How long changes are collected into one grouped event; 0 sends each on its own (SPEC.md §6). */
  readonly groupWindowMs: number;
  /** How long a purchase waits for a supplier (SPEC.md §8: 15 s). */
  readonly supplierTimeoutMs: number;
  /** Between two questions about one pending purchase. */
  readonly supplierPollMs: number;
  readonly supplierStockRefreshMs: number;
  /** `INSUFFICIENT_BALANCE` answers per minute before an account's purchases are refused; 0: never. */
  readonly lowBalanceLimit: number;
  /** Absolute path of the file that has a line for every request; undefined for none. */
  readonly accessLog: string | undefined;
  /** Where the node is backed up to all the time: a folder's absolute path or a URL; undefined for nowhere. */
  readonly backup: string | undefined;
  /** How often the newest facts go there. */
  readonly backupIntervalMs: number;
  /** How often the whole history there is brought up to date. */
  readonly backupBaseMs: number;
  /** How long what only repeats the history is kept there. */
  readonly backupKeepMs: number;
  /** How often a drill restores it and compares it with the node; 0: only when somebody asks. */
  readonly backupDrillMs: number;
  /** Where alerts are posted to. Paths of these URLs may hold tokens: not for logs. */
  readonly alertTargets: readonly AlertTarget[];
  /** The secret with which posts of alerts are signed; undefined when they aren't. */
  readonly alertSecret: string | undefined;
  /** The disk is nearly full when less of it is free; 0: never. */
  readonly diskLowPercent: number;
  /** A delivery by hand is overdue when its order is older. */
  readonly manualOverdueMs: number;
  /** The outbox is behind when an event waits longer for an attempt that could be made. */
  readonly outboxBehindMs: number;
  /** Products that have metrics of their own, at most. */
  readonly metricsProducts: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** The shared log of a cluster, as `postgres://USER@HOST:PORT,HOST:PORT/DB`; undefined: the log is in the folder alone. */
  readonly log: string | undefined;
  /** The name of this node in its cluster. */
  readonly node: string | undefined;
  /** The origin at which buyers reach this node. */
  readonly url: string | undefined;
  /** Absolute path of the file with the password for the log; undefined: `PGPASSWORD` or `PGPASSFILE`, if any. */
  readonly logPasswordFile: string | undefined;
}

export const OPTIONS: { readonly [Field in keyof Settings]: OptionSpec<Settings[Field]> } = {
  dataDir: option('data', folder, './data', 'data folder; it holds all state of the node'),
  host: option('host', host, '127.0.0.1', 'address of the buyer API'),
  port: option('port', listenPort, '8080', 'port of the buyer API'),
  operatorHost: option('operator-host', host, '127.0.0.1', 'address of the operator API'),
  operatorPort: option('operator-port', listenPort, '8081', 'port of the operator API'),
  tlsCert: option(
    'tls-cert',
    file,
    undefined,
    'certificate in PEM, with those of its authorities: the buyer API speaks TLS (read again at SIGHUP)',
  ),
  tlsKey: option('tls-key', file, undefined, 'its private key in PEM, without a passphrase'),
  operatorNames: option(
    'operator-name',
    list(hostName, 64),
    'none',
    'host names by which the operator API may be called, beside localhost and any IP address',
  ),
  demo: option('demo', flag, 'false', 'fill an empty data folder with a demo catalog and account'),
  transport: option(
    'transport',
    choice('auto', 'uws', 'node'),
    'auto',
    'HTTP server of the buyer API; auto is uWebSockets.js if it can be loaded, else node:http',
  ),
  webhookAllow: option('webhook-allow', list(cidr, 64), 'none', 'private addresses that webhooks may reach'),
  dnsServer: option('dns-server', dnsServer, undefined, 'DNS server for the hosts of webhooks and suppliers'),
  trustProxy: option('trust-proxy', list(cidr, 64), 'none', 'trusted proxies, whose X-Forwarded-For is used'),
  webhookTimeoutMs: option('webhook-timeout', duration('1ms', '10m'), '10s', 'timeout of a webhook attempt'),
  webhookRetriesMs: option(
    'webhook-retries',
    list(duration('1ms', '168h'), 20),
    '1m,5m,30m,6h',
    'waits between the attempts of a webhook delivery',
  ),
  webhookHistoryMs: option(
    'webhook-history',
    duration('1m', '365d'),
    '7d',
    'how long webhook deliveries are kept',
  ),
  groupWindowMs: option(
    'group-window',
    duration('0s', '1h'),
    '1s',
    'changes of catalog or stock within this time become one webhook event',
  ),
  supplierTimeoutMs: option(
    'supplier-timeout',
    duration('1ms', '10m'),
    '15s',
    'timeout of a request to a supplier',
  ),
  supplierPollMs: option(
    'supplier-poll',
    duration('1ms', '24h'),
    '5s',
    'how often a supplier is asked about a pending purchase',
  ),
  supplierStockRefreshMs: option(
    'supplier-stock-refresh',
    duration('1ms', '24h'),
    '10s',
    'how often suppliers are asked about their stock',
  ),
  lowBalanceLimit: option(
    'low-balance-limit',
    wholeNumber(0, 1_000_000),
    '30',
    'INSUFFICIENT_BALANCE answers per minute before an account must wait; 0: no limit',
  ),
  accessLog: option('access-log', file, undefined, 'file that gets a line for every request'),
  backup: option(
    'backup',
    backupTarget,
    undefined,
    'folder or s3://bucket/prefix to back up to all the time',
  ),
  backupIntervalMs: option(
    'backup-interval',
    duration('100ms', '1h'),
    '1s',
    'how often the newest facts go to the backup',
  ),
  backupBaseMs: option(
    'backup-base',
    duration('1m', '30d'),
    '24h',
    'how often the backup gathers what came into large objects',
  ),
  backupKeepMs: option(
    'backup-keep',
    duration('1m', '3650d'),
    '30d',
    'how long the backup keeps small objects that the large ones repeat',
  ),
  backupDrillMs: option(
    'backup-drill',
    duration('0s', '365d'),
    '24h',
    'how often the backup is restored in a drill, and compared with the node; 0s: only by `purser backup drill`',
  ),
  alertTargets: option(
    'alert-url',
    alertTargets,
    'none',
    'URL that alerts are posted to, or only those of a class; may be repeated',
  ),
  alertSecret: option(
    'alert-secret',
    sharedSecret,
    undefined,
    'signs posts of alerts; better set in the environment, where other users cannot see it',
  ),
  diskLowPercent: option('disk-low', percentage, '10%', 'alert when less of the disk is free; 0%: never'),
  manualOverdueMs: option(
    'manual-overdue',
    duration('1s', '365d'),
    '24h',
    'alert when a delivery by hand takes longer',
  ),
  outboxBehindMs: option(
    'outbox-behind',
    duration('1s', '365d'),
    '2h',
    'alert when a webhook event waits longer for an attempt that could be made',
  ),
  metricsProducts: option(
    'metrics-products',
    wholeNumber(0, 10_000),
    '1000',
    'how many products have metrics of their own; 0: none',
  ),
  ...DEPOSIT_OPTIONS,
  log: option(
    'log',
    sharedLog,
    undefined,
    'log that the nodes of a cluster share, in PostgreSQL; with --node and --url',
  ),
  node: option('node', nodeName, undefined, 'name of this node in its cluster'),
  url: option('url', origin, undefined, 'where buyers reach this node of a cluster'),
  logPasswordFile: option(
    'log-password-file',
    file,
    undefined,
    'file with the password for --log; without it PGPASSWORD and PGPASSFILE count',
  ),
  logLevel: option('log-level', choice(...LOG_LEVELS), 'info', 'least severe level that is logged'),
};
