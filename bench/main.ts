/** `npm run bench -- contention`: the benchmarks' command line. */
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { type StartPurserOptions, startPurser } from '../test/support/nodes/purser-process.ts';
import { type AlternateFlags, runAlternate } from './commands/alternate.ts';
import { type ClusterFlags, runCluster } from './commands/cluster.ts';
import { type ClusterJoinFlags, runClusterJoin } from './commands/cluster-join.ts';
import { runCompare } from './commands/compare.ts';
import { type ConsoleFlags, runConsole } from './commands/console.ts';
import { runContention } from './commands/contention.ts';
import { BadFlagError, type ContentionFlags, contentionOptions } from './commands/contention-options.ts';
import { measureEventPages } from './commands/event-pages.ts';
import { type ImportsFlags, runImports } from './commands/imports.ts';
import { runMicro } from './commands/micro.ts';
import { measureListings } from './commands/order-listings.ts';
import { runStore, type StoreFlags } from './commands/store.ts';
import { runSuppliers } from './commands/suppliers.ts';
import { type SuppliersFlags, suppliersOptions } from './commands/suppliers-options.ts';
import { runWebhooks, type WebhookEnvironment } from './commands/webhooks.ts';
import { inOwnFolder } from './own-folder.ts';
import { peerSystems } from './peers/peers.ts';
import { scenarioNames } from './scenarios/scenarios.ts';
import { purserSystem } from './systems/purser.ts';
import { systemNames } from './systems/system.ts';
import { runTurns, type TurnsFlags } from './turns/turns.ts';
import { type WebhookFlags, webhookOptions, webhookScenarios } from './webhooks/webhook-options.ts';

/** An old node replays what its last checkpoint hasn't got. */
const readyTimeoutMs = 10 * 60_000;
const start = (options: StartPurserOptions) => startPurser({ ...options, readyTimeoutMs });

const program = new Command('bench')
  .description('Benchmarks of Purser; docs/benchmarks.md explains them')
  // By itself it ends with 1, which is for a check that failed, or for what is slower.
  .exitOverride();
program
  .command('contention')
  .description('purchases over real HTTP, fsync on, many buyers at once; checked for correctness afterwards')
  .option('--scenario <names>', `comma-separated: ${scenarioNames.join(', ')} (default: all but history)`)
  .option('--systems <names>', `comma-separated: ${systemNames.join(', ')} (default: all that can run here)`)
  .option('--break <name>', 'run this peer without its lock or unique key: the check must see it')
  .option('--connections <counts>', 'comma-separated (default: 64,256,1024)')
  .option('--rates <counts>', "open-loop's requests a second (default: 2000,6000,12000,20000)")
  .option('--seconds <n>', 'measured time of a window (default: 5)')
  .option('--rounds <n>', 'rounds; medians are over them (default: 5)')
  .option('--repeats <n>', 'how often a window is run again that others disturbed (default: 2)')
  .option('--transport <name>', 'uws or node (default: uws)')
  .option('--processes <n>', 'HTTP processes of a peer, or auto: what serves it best (default: auto)')
  .option('--orders <n>', "history's number of orders (default: 1000000)")
  .option('--buyers <n>', "flash-sale's number of buyers (default: 10000)")
  .option('--load-processes <n>', 'client processes (default: cores - 1, at most 4)')
  .option('--seed <n>', 'of the traffic and of the sample that is checked (default: 1)')
  .option(
    '--dir <folder>',
    'where the data goes; decides which disk is measured (default: the temporary folder)',
  )
  .option('--report <folder>', 'write report.json there, for compare and other programs')
  .option(
    '--quick',
    'one short round with 64 connections, under two minutes on a quiet machine: to see it, not to measure',
  )
  .action(contention);

program
  .command('alternate')
  .description(
    'the same purchases on several nodes in turn: two transports, a build and the one before it, or flags',
  )
  .option(
    '--nodes <names>',
    'comma-separated: uws, node, or of another checkout DIR:uws, of a single file FILE:uws; a node\'s flags stand behind it, as in "uws,uws --access-log FILE"; "uws listed": each account has a price list and a spend limit; "uws networks": its key works from some networks; "uws readers": 1,000 others wait for their events, "uws all-readers": for all types (default: uws,node)',
  )
  .option(
    '--scenario <names>',
    'of uniform, hot-product, hot-wallet, open-loop (default: uniform,hot-product)',
  )
  .option('--connections <n>', 'of the buyers (default: 256)')
  .option('--rate <n>', "open-loop's requests a second")
  .option('--seconds <n>', 'measured time of a window (default: 2)')
  .option('--rounds <n>', 'windows of each node and scenario (default: 7)')
  .option('--starts <n>', 'so often all nodes are started again, and all rounds run (default: 1)')
  .option('--report <folder>', 'write the windows of each node there, for compare')
  .option('--dir <folder>', 'where the data goes (default: the temporary folder)')
  .action(alternate);

program
  .command('cluster')
  .description('embedded against a log in PostgreSQL, whose three servers share this machine, in turn')
  .option('--connections <counts>', 'comma-separated (default: 1,64,256)')
  .option('--seconds <n>', 'measured time of a window (default: 2)')
  .option('--rounds <n>', 'windows of each (default: 5)')
  .option('--dir <folder>', 'where the data goes (default: the temporary folder)')
  .action(cluster);

async function cluster({ dir, ...flags }: ClusterFlags & { dir?: string }): Promise<void> {
  await inOwnFolder(dir, async (folder) => {
    const print = (text: string) => process.stdout.write(`${text}\n\n`);
    process.exitCode = (await runCluster(flags, { start, folder, print })) ? 0 : 1;
  });
}

program
  .command('cluster-join')
  .description('how long a shop with many orders takes to become a cluster, to be trimmed, and to be joined')
  .option('--orders <n>', 'how many (default: 1000000)')
  .option('--dir <folder>', 'where the data goes (default: the temporary folder)')
  .action(({ dir, ...flags }: ClusterJoinFlags & { dir?: string }) =>
    inOwnFolder(dir, async (folder) => {
      process.exitCode = (await runClusterJoin(flags, environmentOf('uws', folder))) ? 0 : 1;
    }),
  );

program
  .command('compare')
  .description(
    'whether B is slower than A beyond noise, row by row; exits with 1 when something is, with 2 when they cannot be compared',
  )
  .argument('<A.json>', 'a report.json')
  .argument('<B.json>', 'another one')
  .action(async (fileA: string, fileB: string) => {
    process.exitCode = await runCompare(fileA, fileB, (text) => process.stdout.write(`${text}\n`));
  });

async function alternate(flags: AlternateFlags & { dir?: string }): Promise<void> {
  await inOwnFolder(flags.dir, async (folder) => {
    const print = (text: string) => process.stdout.write(`${text}\n\n`);
    process.exitCode = (await runAlternate(flags, { start, folder, print })) ? 0 : 1;
  });
}

program
  .command('console')
  .description('what a console left open in a browser costs purchases, and how fast it opens; needs chromium')
  .option('--rounds <n>', 'windows with a console and without (default: 9)')
  .option('--seconds <n>', 'measured time of a window (default: 2)')
  .option('--orders <n>', 'of the node whose console is opened (default: 100000)')
  .option('--minutes <n>', 'how long it is left open beside purchases (default: 5)')
  .option('--rate <n>', 'purchases a second meanwhile (default: 5000)')
  .option('--dir <folder>', 'where the data goes (default: the temporary folder)')
  .action(openConsole);

async function openConsole({ dir, ...flags }: ConsoleFlags & { dir?: string }): Promise<void> {
  await inOwnFolder(dir, async (folder) => {
    const { print, progress } = environmentOf('uws', folder);
    process.exitCode = (await runConsole(flags, { start, folder, print, progress })) ? 0 : 1;
  });
}

program
  .command('imports')
  .description('long tables of products and prices: how long they take, and purchases beside them')
  .option('--lines <n>', 'of a table (default: 99800)')
  .option('--rate <n>', 'purchases a second (default: 1000)')
  .option('--rounds <n>', 'medians are over them (default: 3)')
  .option('--dir <folder>', 'where the data goes (default: the temporary folder)')
  .action(({ dir, ...flags }: ImportsFlags & { dir?: string }) =>
    inOwnFolder(dir, async (folder) => {
      process.exitCode = (await runImports(flags, environmentOf('uws', folder))) ? 0 : 1;
    }),
  );

program
  .command('micro')
  .description('what the parts of a purchase cost on their own')
  .option('--dir <folder>', 'where the journal is written (default: the temporary folder)')
  .action((flags: { dir?: string }) =>
    inOwnFolder(flags.dir, (folder) => runMicro(folder, (text) => process.stdout.write(`${text}\n\n`))),
  );

const onManyOrders = [
  ['listings', 'first pages of GET /orders on a folder with many orders, by each filter', measureListings],
  ['events', 'pages of GET /events there, of accounts with many events and with few', measureEventPages],
] as const;
for (const [name, description, measure] of onManyOrders) {
  program
    .command(name)
    .description(description)
    .option('--orders <n>', 'how many (default: 10000000)')
    .option('--dir <folder>', 'where the data goes (default: the temporary folder)')
    .action(({ orders = '10000000', dir }: { orders?: string; dir?: string }) =>
      inOwnFolder(dir, async (folder) => {
        process.stdout.write(await measure(join(folder, 'node'), Number(orders)));
      }),
    );
}

program
  .command('store')
  .description(
    "the checkpoint's store by itself: folds and merges, reads after a start, keys, accounts; and catalogs",
  )
  .option('--orders <n>', 'folded, and then read; 0 leaves that out (default: 10000000)')
  .option('--keys <n>', 'among which new ones are looked up; 0 leaves that out (default: 40000000)')
  .option('--accounts <n>', 'of the state that is loaded; 0 leaves that out (default: 1000000)')
  .option('--lists <n>', 'of prices of all products; 0 leaves that out (default: 50)')
  .option('--dir <folder>', 'where the data goes (default: the temporary folder)')
  .action(({ dir, ...flags }: StoreFlags & { dir?: string }) =>
    inOwnFolder(dir, (folder) =>
      runStore(flags, { folder, print: (text) => process.stdout.write(`${text}\n\n`) }),
    ),
  );

program
  .command('turns')
  .description('the longest turn of the main thread, by route, with the largest answers and bodies')
  .option('--transport <name>', 'uws or node (default: uws)')
  .option('--rounds <n>', 'how often each is called (default: 5)')
  .option('--products <n>', 'of the catalog (default: 20000)')
  .option('--only <pattern>', 'rows whose name fits it')
  .option('--dir <folder>', 'where the data goes (default: the temporary folder)')
  .action(({ dir, ...flags }: TurnsFlags & { dir?: string }) =>
    inOwnFolder(dir, (folder) => runTurns(flags, environmentOf('uws', join(folder, 'node')))),
  );

program
  .command('webhooks')
  .description('purchases and the deliveries they cause, over TLS to 1,000 receivers; checked from outside')
  .option('--scenario <names>', `comma-separated: ${webhookScenarios.join(', ')} (default: all but pending)`)
  .option('--rate <n>', 'purchases a second of the open loop (default: 3400)')
  .option('--connections <n>', 'of the buyers (default: 256)')
  .option('--seconds <n>', 'measured time at that rate (default: 6)')
  .option('--rounds <n>', 'of shares (default: 3)')
  .option('--events <n>', "pending's number of events (default: 1000000)")
  .option('--dead <kinds>', "pending's endpoints: refusing, silent, failing (default: refusing,silent)")
  .option('--seed <n>', 'of the traffic (default: 1)')
  .option('--dir <folder>', 'where the data goes (default: the temporary folder)')
  .action(webhooks);

async function webhooks(flags: WebhookFlags & { dir?: string }): Promise<void> {
  const options = webhookOptions(flags);
  await inOwnFolder(flags.dir, async (folder) => {
    const { print, progress } = environmentOf('uws', folder);
    const startNode: WebhookEnvironment['startNode'] = (dataDir, nodeFlags, env) =>
      start({ dataDir, flags: nodeFlags, env });
    const sound = await runWebhooks(options, { startNode, folder, print, progress });
    process.exitCode = sound ? 0 : 1;
  });
}

program
  .command('suppliers')
  .description('purchases of own stock while thousands wait for a slow supplier, against the same without')
  .option('--in-flight <counts>', 'supplier purchases, comma-separated (default: 2000,5000)')
  .option('--rate <rates>', 'own-stock purchases a second, comma-separated (default: 2000,8000)')
  .option('--seconds <n>', 'measured time of a window (default: 5)')
  .option('--rounds <n>', 'rounds; medians are over them (default: 3)')
  .option('--together', 'all supplier purchases begin, and so end, in the same moment')
  .option('--transport <name>', 'uws or node (default: uws)')
  .option('--seed <n>', 'of the traffic and of the sample that is checked (default: 1)')
  .option('--dir <folder>', 'where the data goes (default: the temporary folder)')
  .action(suppliers);

async function suppliers(flags: SuppliersFlags & { dir?: string }): Promise<void> {
  const options = suppliersOptions(flags);
  await inOwnFolder(flags.dir, async (folder) => {
    const sound = await runSuppliers(options, environmentOf(options.transport, folder));
    process.exitCode = sound ? 0 : 1;
  });
}

async function contention(flags: ContentionFlags & { dir?: string }): Promise<void> {
  const options = contentionOptions(flags);
  await inOwnFolder(flags.dir, async (folder) => {
    const { startNode, ...rest } = environmentOf(options.transport, folder);
    const systems = [purserSystem(options.transport, startNode), ...peerSystems];
    const sound = await runContention(options, { ...rest, systems });
    process.exitCode = sound ? 0 : 1;
  });
}

function environmentOf(transport: string, folder: string) {
  return {
    startNode: (dataDir: string) =>
      startPurser({ dataDir, flags: ['--transport', transport], readyTimeoutMs }),
    folder,
    print: (text: string) => process.stdout.write(`${text}\n\n`),
    progress: (line: string) => process.stderr.write(`${line}\n`),
  };
}

/** The exit code of an error. Words about wrong options are written already. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof BadFlagError) {
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
  process.stderr.write(`${(error as Error).stack}\n`);
  return 1;
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
