/**
 * `purser cluster init`, `join` and `dissolve`: what is done to the folder of a node that doesn't run. They talk to
 * PostgreSQL themselves; no node is asked.
 */
import type { Command } from 'commander';
import type { PostgresCluster } from '../../cluster/postgres/postgres-cluster.ts';
import type { PostgresSettings } from '../../cluster/postgres/postgres-connection.ts';
import type { PostgresFiles } from '../../cluster/postgres/postgres-files.ts';
import type { LogUrl } from '../../cluster/postgres/postgres-url.ts';
import { OPTIONS } from '../../config/options.ts';
import { PURSER_VERSION } from '../../version.ts';
import { dataFolder } from '../calls/operator-target.ts';
import { givenKey } from '../restore/given-key.ts';
import { fieldLines, type JsonObject } from '../terminal/answer-text.ts';
import { CommandFailure, fileTrouble, usageError } from '../terminal/failure.ts';
import { sizeText } from '../terminal/size-text.ts';
import { printLines, type Terminal } from '../terminal/terminal.ts';

/** The name of a database session that is no node's. */
const NO_NODE = 'cli';

interface LogFlags {
  readonly log?: string;
  readonly logPasswordFile?: string;
}

interface FolderFlags extends LogFlags {
  readonly data?: string;
  readonly json?: boolean;
}

interface NodeFlags extends FolderFlags {
  readonly node?: string;
  readonly url?: string;
}

interface JoinFlags extends NodeFlags {
  readonly masterKeyFile?: string;
}

export function addClusterFolderCommands(cluster: Command, terminal: Terminal): void {
  const init = nodeCommand(
    cluster,
    'init',
    'make a stopped folder the first of a cluster; the log begins with it',
  );
  init.action(async (flags: NodeFlags) => {
    const { initCluster } = await import('../../cluster/cluster-init.ts');
    const { takeCleanEndBack } = await import('../../backup/clean-end/stopped-taking-back.ts');
    const masterKey = terminal.env.PURSER_MASTER_KEY || undefined;
    await run(terminal, flags, async ({ postgres, files, folder, say }) => {
      const { log, fact } = await initCluster({
        folder,
        masterKey,
        cluster: postgres,
        ...member(flags),
        files,
        takeBack: () =>
          takeCleanEndBack(folder, { masterKey, env: terminal.env, print: say, onHeld: terminal.onHeld }),
        onProgress: (bytes) => say(`copied ${sizeText(bytes)}`),
      });
      return { dataFolder: folder, log, node: flags.node, fact };
    });
  });
  const join = nodeCommand(cluster, 'join', 'make the folder of one more node, from the log');
  join.option('--master-key-file <FILE>', "file with the shop's master key (default: PURSER_MASTER_KEY)");
  join.action(async (flags: JoinFlags) => {
    const { joinCluster } = await import('../../cluster/cluster-join.ts');
    await run(terminal, flags, async ({ postgres, files, folder, say }) => {
      const { log, entry, fact } = await joinCluster({
        folder,
        key: await givenKey(flags, terminal, 'a folder'),
        cluster: postgres,
        ...member(flags),
        files,
        onProgress: (part, parts) => say(`fetched ${part} of ${parts} parts`),
        print: say,
      });
      return { dataFolder: folder, log, node: flags.node, entry, fact };
    });
  });
  const dissolve = folderCommand(cluster, 'dissolve', 'end the cluster; this stopped folder goes on alone');
  dissolve.action(async (flags: FolderFlags) => {
    const { dissolveCluster } = await import('../../cluster/cluster-dissolve.ts');
    const { PostgresTable } = await import('../../cluster/postgres/postgres-table.ts');
    await run(terminal, flags, async ({ postgres, settings, folder }) => {
      const table = new PostgresTable(settings);
      try {
        return { dataFolder: folder, fact: await dissolveCluster({ folder, cluster: postgres, table }) };
      } finally {
        await table.close();
      }
    });
  });
}

interface Running {
  readonly postgres: PostgresCluster;
  readonly files: PostgresFiles;
  readonly settings: PostgresSettings;
  readonly folder: string;
  /** Prints the progress, for people. */
  readonly say: (line: string) => void;
}

async function run(
  terminal: Terminal,
  flags: FolderFlags,
  work: (running: Running) => Promise<JsonObject>,
): Promise<void> {
  const folder = dataFolder(flags.data, terminal.env);
  const settings = await logSettings(flags);
  const { PostgresCluster } = await import('../../cluster/postgres/postgres-cluster.ts');
  const { PostgresFiles } = await import('../../cluster/postgres/postgres-files.ts');
  const postgres = new PostgresCluster(settings);
  const files = new PostgresFiles(settings);
  const say = (line: string) => {
    if (flags.json !== true && terminal.stderr.isTTY === true) printLines(terminal.stderr, [line]);
  };
  try {
    const done = await work({ postgres, files, settings, folder, say });
    printLines(terminal.stdout, flags.json === true ? [JSON.stringify(done)] : fieldLines(done));
  } finally {
    await Promise.all([postgres.close(), files.close()]);
  }
}

/** Where the log lies, for a command that is no node. Rejects with `CommandFailure`. */
export async function logSettings({ log, logPasswordFile }: LogFlags): Promise<PostgresSettings> {
  const { parseLogUrl, passwordIn } = await import('../../cluster/postgres/postgres-url.ts');
  if (log === undefined) throw usageError('--log is missing: postgres://USER@HOST:PORT,HOST:PORT/DB');
  let url: LogUrl;
  try {
    url = parseLogUrl(log);
  } catch (error) {
    throw usageError((error as Error).message);
  }
  try {
    return { url, password: passwordIn(logPasswordFile), node: NO_NODE };
  } catch (error) {
    throw new CommandFailure(`--log-password-file ${logPasswordFile} cannot be read: ${fileTrouble(error)}`);
  }
}

/** Throws `CommandFailure`. */
function member({ node = '', url = '' }: NodeFlags) {
  const { node: ofNode, url: ofUrl } = OPTIONS;
  const parsed = { node: ofNode.kind.parse(node), url: ofUrl.kind.parse(url) };
  if (parsed.node === undefined) throw usageError(`--node: expected ${ofNode.kind.expected}`);
  if (parsed.url === undefined) throw usageError(`--url: expected ${ofUrl.kind.expected}`);
  return { node: parsed.node, url: parsed.url, version: PURSER_VERSION };
}

function nodeCommand(cluster: Command, name: string, description: string): Command {
  return folderCommand(cluster, name, description)
    .requiredOption('--node <NAME>', 'name of the node: 1 to 40 of a-z, 0-9 and -')
    .requiredOption('--url <ORIGIN>', 'where buyers reach the node, such as https://a.shop.example');
}

function folderCommand(cluster: Command, name: string, description: string): Command {
  return withLog(cluster.command(name).description(description))
    .option('--data <DIR>', 'data folder (env: PURSER_DATA, default: ./data)')
    .option('--json', 'print the result as one JSON object');
}

/** The flags of a command that reads the log. */
export function withLog(command: Command): Command {
  return command
    .option('--log <POSTGRES_URL>', 'log of the cluster: postgres://USER@HOST:PORT,HOST:PORT/DB')
    .option(
      '--log-password-file <FILE>',
      'file with the password for --log (default: PGPASSWORD, PGPASSFILE)',
    );
}
