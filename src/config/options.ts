/**
 * The table of every setting: the single source of the command line's flags, the names in the environment,
 * the keys of the configuration file, their help, and the operator guide's list.
 *
 * Separate parsers for each source were rejected: they drift apart, and the one that nobody tests is the one
 * that an operator uses.
 */
import {
  choice,
  cidr,
  dnsServer,
  duration,
  flag,
  folder,
  host,
  httpUrl,
  list,
  listenPort,
  type OptionKind,
  wholeNumber,
} from './option-kind.ts';

/** What the options say; units stand last in the names. */
export interface Settings {
  /** Absolute path of the data folder. */
  readonly dataDir: string;
  /** Where the buyer API listens; port 0 lets the system choose. */
  readonly host: string;
  readonly port: number;
  /** Where the operator API listens. */
  readonly operatorHost: string;
  readonly operatorPort: number;
  readonly demo: boolean;
  /** `auto`: `uws` where its binary loads, else `node`. */
  readonly transport: 'auto' | 'uws' | 'node';
  /** Ranges, as `address/prefix`, that webhooks may reach although they are not public (SPEC.md §6). */
  readonly webhookAllow: readonly string[];
  /** `address:port` or `[address]:port`; undefined for the system's resolvers. */
  readonly dnsServer: string | undefined;
  /** Ranges, as `address/prefix`, of proxies whose word about the client's address is taken. */
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
  /** `INSUFFICIENT_BALANCE` answers in a minute after which an account's purchases are refused; 0 for never. */
  readonly lowBalanceLimit: number;
  /** Where alerts are posted; undefined when nowhere. */
  readonly alertUrl: string | undefined;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
}

export interface OptionSpec<T> {
  /** `operator-port`: the flag without its dashes, and a key the file may use. */
  readonly name: string;
  /** `operatorPort`: the other key the file may use, and the key of `Flags`. */
  readonly camelName: string;
  /** `PURSER_OPERATOR_PORT`. */
  readonly env: string;
  readonly kind: OptionKind<T>;
  /** Written as an operator would write it; undefined when the option has no value by default. */
  readonly fallback: string | undefined;
  readonly description: string;
}

function option<T>(
  name: string,
  kind: OptionKind<T>,
  fallback: string | undefined,
  description: string,
): OptionSpec<T> {
  const camelName = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const env = `PURSER_${name.toUpperCase().replaceAll('-', '_')}`;
  return { name, camelName, env, kind, fallback, description };
}

export const OPTIONS: { readonly [Field in keyof Settings]: OptionSpec<Settings[Field]> } = {
  dataDir: option('data', folder, './data', 'the folder that holds everything the node knows'),
  host: option('host', host, '127.0.0.1', 'address of the buyer API'),
  port: option('port', listenPort, '8080', 'port of the buyer API'),
  operatorHost: option('operator-host', host, '127.0.0.1', 'address of the operator API'),
  operatorPort: option('operator-port', listenPort, '8081', 'port of the operator API'),
  demo: option('demo', flag, 'false', 'fill an empty data folder with a demo catalog and account'),
  transport: option(
    'transport',
    choice('auto', 'uws', 'node'),
    'auto',
    'HTTP server of the buyer API: uWebSockets.js, node:http, or auto for the former where it loads',
  ),
  webhookAllow: option(
    'webhook-allow',
    list(cidr, 64),
    'none',
    'private destinations that webhooks may be sent to',
  ),
  dnsServer: option('dns-server', dnsServer, undefined, 'resolver for the hosts of webhooks'),
  trustProxy: option(
    'trust-proxy',
    list(cidr, 64),
    'none',
    'proxies whose word on the client address is taken',
  ),
  webhookTimeoutMs: option(
    'webhook-timeout',
    duration('1ms', '10m'),
    '10s',
    'time a webhook receiver has to answer',
  ),
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
    'how long the history of webhook deliveries is kept',
  ),
  groupWindowMs: option(
    'group-window',
    duration('0s', '1h'),
    '1s',
    'how long changes are collected into one event',
  ),
  supplierTimeoutMs: option(
    'supplier-timeout',
    duration('1ms', '10m'),
    '15s',
    'time a supplier has to answer a purchase',
  ),
  supplierPollMs: option(
    'supplier-poll',
    duration('1ms', '24h'),
    '5s',
    'how often a pending purchase is asked about',
  ),
  supplierStockRefreshMs: option(
    'supplier-stock-refresh',
    duration('1ms', '24h'),
    '10s',
    'how often stock at suppliers is asked for',
  ),
  lowBalanceLimit: option(
    'low-balance-limit',
    wholeNumber(0, 1_000_000),
    '30',
    'refusals for want of balance in a minute before an account must wait; 0 turns it off',
  ),
  alertUrl: option('alert-url', httpUrl, undefined, 'where alerts are posted'),
  logLevel: option(
    'log-level',
    choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
    'least severe message that is logged',
  ),
};
