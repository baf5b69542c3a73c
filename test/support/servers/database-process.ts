/**
 * A database server as a child of this process: started in the foreground, waited for, ended.
 *
 * The server ends with this process, whatever ends this one: `setpriv`, which every Debian has, asks the kernel for
 * that. Where `setpriv` is missing or not permitted, the server starts without it; then a kill -9 of this process alone
 * leaves it behind.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chown, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const probeIntervalMs = 20;
/** Crash recovery may have to read gigabytes of its log. */
const readyTimeoutMs = 120_000;
const keptLogBytes = 4_000;

export interface DatabaseServer {
  /** A URL, a port or a path, as its clients take it. */
  readonly address: string;
  /** Resolves when the server has ended, whoever ended it, with how: `SIGKILL`, `code 1`. */
  readonly ended: Promise<string>;
  /** In order: what was committed is on disk when it resolves. */
  stop(): Promise<void>;
}

/** An unprivileged user of this machine. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

export interface ServerCommand {
  /** For messages, e.g. `PostgreSQL`. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Instead of this process's. */
  readonly user?: User | undefined;
  /** Ends it in order, with everything that was committed on disk. */
  readonly stopSignal: NodeJS.Signals;
  /** Resolves when it takes connections; what it throws means not yet. */
  readonly probe: () => Promise<unknown>;
}

/** Rejects with the end of the server's log when it ends before it is ready. */
export async function startDatabase(address: string, command: ServerCommand): Promise<DatabaseServer> {
  const [program, args] = await commandLine(command);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-keptLogBytes);
    });
  }
  const ended = endOf(child);
  let end: string | undefined;
  void ended.then((how) => {
    end = how;
  });
  const deadlineMs = performance.now() + readyTimeoutMs;
  while (!(await isReady(command))) {
    if (end !== undefined) throw new Error(`${command.name} ended before it was ready (${end}):\n${log}`);
    if (performance.now() > deadlineMs) {
      child.kill('SIGKILL');
      throw new Error(`${command.name} was not ready within ${readyTimeoutMs / 1000} s:\n${log}`);
    }
    await delay(probeIntervalMs);
  }
  return {
    address,
    ended,
    stop: async () => {
      child.kill(command.stopSignal);
      await ended;
    },
  };
}

/** Runs a program of the database to its end, e.g. to make an empty database. Rejects with what it printed. */
export async function runToEnd(command: Pick<ServerCommand, 'program' | 'args' | 'user'>): Promise<string> {
  const [program, args] = await commandLine(command);
  const { stdout } = await run(program, args);
  return stdout;
}

/** Where a program lies: in the folder with the greatest number of those that `pattern` says, or in the PATH. */
export async function findProgram(name: string, versionsFolder?: string): Promise<string | undefined> {
  const versions = versionsFolder === undefined ? [] : await readdir(versionsFolder).catch(() => []);
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
  const folders = [
    ...newestFirst.map((version) => join(versionsFolder ?? '', version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
    // Where servers are, and which is not in everybody's PATH.
    '/usr/local/sbin',
    '/usr/sbin',
  ];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** The first of these that exists. */
export function userNamed(...names: readonly string[]): User {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of names) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(`this machine has none of the users ${names.join(', ')}`);
}

export async function giveTo(user: User | undefined, folder: string): Promise<void> {
  if (user !== undefined) await chown(folder, user.uid, user.gid);
}

/** Unix socket paths are at most 107 bytes long. */
export function socketPath(folder: string, name: string): string {
  const path = join(folder, name);
  if (Buffer.byteLength(path) > 107) {
    throw new Error(`the path of a socket would be too long: ${path}. Choose a shorter folder with --dir`);
  }
  return path;
}

/** Whether a program can be run as another user here. */
export async function canRunAs(user: User): Promise<boolean> {
  return (await setpriv(user)) !== undefined;
}

/** Program and arguments. `canRunAs` is asked first: without `setpriv` it runs as this process's user. */
export async function commandLine(
  command: Pick<ServerCommand, 'program' | 'args' | 'user'>,
): Promise<[string, string[]]> {
  const { program, args, user } = command;
  const [before, ...after] = [...((await setpriv(user)) ?? []), program, ...args];
  return [before ?? program, after];
}

/**
 * Undefined where `setpriv` is missing or not permitted.
 *
 * Another user can't reach a folder below one that is this user's alone, as temporary folders are: so the server
 * keeps the one privilege to pass.
 */
async function setpriv(user: User | undefined): Promise<readonly string[] | undefined> {
  const as =
    user === undefined
      ? []
      : [
          `--reuid=${user.uid}`,
          `--regid=${user.gid}`,
          '--clear-groups',
          '--inh-caps=+dac_override',
          '--ambient-caps=+dac_override',
        ];
  const args = [...as, '--pdeathsig=KILL'];
  try {
    await run('setpriv', [...args, 'true']);
    return ['setpriv', ...args];
  } catch {
    return undefined;
  }
}

async function endOf(child: ChildProcess): Promise<string> {
  const [code, signal] = await once(child, 'exit').catch((error: Error) => [error.message]);
  return signal ?? `code ${code}`;
}

async function isReady({ probe }: ServerCommand): Promise<boolean> {
  try {
    await probe();
    return true;
  } catch {
    return false;
  }
}
