/** The law of imports: what each folder of `src` may import. */
/** Outside of `src`; the demo has the supplier of the examples. */
const EXAMPLES = '..';

/** Modules that the files of a folder may import. */
interface Law {
  readonly folders: readonly string[];
  /** Folders whose types alone may be imported: nothing is left of them at run time. */
  readonly typesOf?: readonly string[];
  readonly packages: RegExp;
}

/**
 * The folder that every other may import but those that run in the buyer's program, or need nothing of it. The folder
 * itself imports nothing.
 */
export const SHARED = 'shared';
/** Wires a node of a cluster; the rest of `cluster` knows nothing of a node. */
export const CLUSTER_NODE = 'cluster/node';
export const WITHOUT_SHARED = new Set(['client', 'engine', SHARED]);

/** Rooms that a node is made of. */
const WIRED = [
  'http',
  'outgoing',
  'webhooks',
  'suppliers',
  'fulfilment',
  'receipts',
  'recovery',
  'feed',
  'backup',
  'restore',
  'engine',
  'persistence',
  'threads',
  'metrics',
  'alerts',
  'access-log',
  '.',
];

/** For every folder below `src`. `.` are the files directly in `src`. */
export const LAW: Readonly<Record<string, Law>> = {
  shared: { folders: ['shared'], packages: /^node:/ },
  engine: { folders: ['engine'], packages: /^$/ },
  threads: { folders: ['threads'], packages: /^node:/ },
  metrics: { folders: ['metrics', 'engine'], packages: /^node:/ },
  tables: { folders: ['tables'], packages: /^(node:|csv-parse$)/ },
  persistence: {
    folders: ['persistence', 'tables', 'metrics', 'threads', 'engine'],
    packages: /^(node:|lmdb$)/,
  },
  backup: {
    folders: ['backup', 'persistence', 'threads', 'engine'],
    packages: /^(node:|aws4fetch$)/,
  },
  restore: {
    folders: ['restore', 'backup', 'receipts', 'webhooks', 'persistence', 'metrics', 'threads', 'engine'],
    packages: /^node:/,
  },
  cluster: {
    folders: ['cluster', 'persistence', 'threads', 'engine'],
    packages: /^(node:|pg$)/,
  },
  fulfilment: { folders: ['fulfilment', 'persistence', 'engine'], packages: /^$/ },
  receipts: { folders: ['receipts', 'persistence', 'engine'], packages: /^node:/ },
  recovery: { folders: ['recovery', 'receipts', 'persistence', 'engine'], packages: /^node:/ },
  views: { folders: ['views', 'engine'], packages: /^$/ },
  'access-log': {
    folders: ['access-log', 'persistence'],
    typesOf: ['http', 'metrics'],
    packages: /^(node:|pino$)/,
  },
  alerts: {
    folders: ['alerts', 'outgoing', 'engine'],
    typesOf: ['metrics'],
    packages: /^(node:|pino$|undici$)/,
  },
  http: {
    folders: [
      'http',
      'views',
      'fulfilment',
      'receipts',
      'recovery',
      'engine',
      'persistence',
      'tables',
      'metrics',
      'alerts',
      '.',
    ],
    // `src/node/node.ts` hands them over.
    typesOf: ['webhooks', 'suppliers', 'feed', 'access-log', 'restore'],
    packages: /^(node:|ajv$|ipaddr\.js$|prom-client$|uWebSockets\.js$)/,
  },
  outgoing: { folders: ['outgoing'], packages: /^node:/ },
  webhooks: {
    folders: ['webhooks', 'outgoing', 'persistence', 'metrics', 'threads', 'engine'],
    typesOf: ['alerts'],
    packages: /^(node:|ipaddr\.js$|piscina$|undici$)/,
  },
  feed: { folders: ['feed', 'views', 'persistence', 'threads', 'engine'], packages: /^node:/ },
  suppliers: {
    folders: ['suppliers', 'fulfilment', 'outgoing', 'persistence', 'threads', 'engine'],
    packages: /^(node:|undici$)/,
  },
  bot: {
    folders: ['bot', 'persistence'],
    packages: /^(node:|undici$|grammy(\/types)?$|@grammyjs\/)/,
  },
  // It runs in the buyer's program, which has neither the server nor its packages; of the server it has the errors.
  client: { folders: ['client'], packages: /^$/ },
  config: { folders: ['config'], packages: /^node:/ },
  doctor: {
    folders: ['doctor', 'config', 'http', 'cluster', 'persistence'],
    packages: /^node:/,
  },
  cli: {
    folders: [
      'cli',
      'bot',
      'doctor',
      'config',
      'http',
      'views',
      'engine',
      'backup',
      'restore',
      'cluster',
      'persistence',
      '.',
    ],
    packages: /^(?!lmdb$|uWebSockets)/,
  },
  node: { folders: [...WIRED, 'node', 'cluster', 'config'], packages: /^(?!lmdb$|uWebSockets)/ },
  [CLUSTER_NODE]: {
    folders: [...WIRED, 'node', 'cluster', CLUSTER_NODE, 'config'],
    packages: /^(?!lmdb$|uWebSockets)/,
  },
  demo: { folders: ['demo', 'cli', 'persistence', EXAMPLES], packages: /^node:/ },
  '.': { folders: ['.', 'node', CLUSTER_NODE, 'demo', 'config'], packages: /^(node:|pino$)/ },
};
