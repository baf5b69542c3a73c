/**
 * How a test starts, kills and commands a node whose folder it loses: as processes, or all in this process, which takes a
 * fraction of the time.
 *
 * In one process nothing can be killed. Instead the target is copied at that moment, the node stopped, and the copy put
 * in the target's place: whatever the node ships later is not there, as if it had died. A copy that is made while objects
 * are written holds whole what any of its objects needs, because it takes those first that are written last.
 */
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { loadConfig } from '../../../src/config/config.ts';
import { PurserNode } from '../../../src/node.ts';
import { purser } from '../../cli/fake-operator.ts';
import { runCommand, startCommand } from '../../support/purser-command.ts';
import { OPERATOR_TOKEN, type PurserProcess } from '../../support/purser-process.ts';
import { type ServerUnderTest, startServer, underTest } from './server-under-test.ts';

export interface ShopOptions {
  readonly dataDir: string;
  /** A folder, of the node's own backup. */
  readonly target: string;
  readonly masterKey: string;
}

export interface CommandEnd {
  readonly code: number | null;
  readonly output: string;
}

export interface Means {
  /** The node ships every 200 ms. */
  start(shop: ShopOptions): Promise<ServerUnderTest>;
  /** The command line. */
  run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<CommandEnd>;
  /** The same; `kill` breaks it off where it can be. */
  begin(args: readonly string[]): { readonly ended: Promise<unknown>; kill(): void };
}

const INTERVAL = '200ms';
const BASE = '1h';
/** Folders of a target whose objects need those of others, which are written before them. */
const WRITTEN_LAST = ['manifests', 'progress', 'log'];

export const processes: Means = {
  start: ({ dataDir, target, masterKey }) =>
    startServer({
      dataDir,
      flags: ['--backup', target, '--backup-interval', INTERVAL, '--backup-base', BASE],
      env: { PURSER_MASTER_KEY: masterKey },
    }),
  run: async (args, env) => {
    const { code, stdout, stderr } = await runCommand(args, env);
    return { code, output: stdout + stderr };
  },
  begin: (args) => {
    const { child, ended } = startCommand(args);
    child.stdin.end();
    return { ended, kill: () => child.kill('SIGKILL') };
  },
};

export const oneProcess: Means = {
  start: async ({ dataDir, target, masterKey }) => {
    const flags = { data: dataDir, backup: target, backupInterval: INTERVAL, backupBase: BASE };
    const env = { PURSER_MASTER_KEY: masterKey, PURSER_OPERATOR_TOKEN: OPERATOR_TOKEN };
    let failure: unknown;
    const node = await PurserNode.start({
      config: loadConfig({ ...flags, port: '0', operatorPort: '0', transport: 'node' }, env, () => ''),
      log: pino({ level: 'silent' }),
      onFatal: (error) => {
        failure ??= error;
      },
    });
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= node.stop();
      return stopped;
    };
    const process: PurserProcess = {
      buyerUrl: node.buyerUrl,
      operatorUrl: node.operatorUrl,
      operatorToken: node.operatorToken,
      pid: globalThis.process.pid,
      output: () => String(failure ?? ''),
      stop: async () => {
        await stop();
        return failure === undefined ? 0 : 1;
      },
      kill: async () => {
        if (stopped !== undefined) return stopped;
        const then = `${target}-then`;
        try {
          copyTarget(target, then);
        } finally {
          await stop();
        }
        rmSync(target, { recursive: true });
        renameSync(then, target);
      },
      exited: new Promise(() => {}),
    };
    return underTest(process);
  },
  run: async (args, env) => {
    const { exitCode, stdout, stderr } = await purser(args, { env });
    return { code: exitCode, output: stdout + stderr };
  },
  begin: (args) => ({ ended: purser(args), kill: () => {} }),
};

function copyTarget(from: string, to: string): void {
  const rank = (name: string) => {
    const place = WRITTEN_LAST.indexOf(name);
    return place < 0 ? WRITTEN_LAST.length : place;
  };
  const copy = (path: string) => {
    try {
      if (statSync(join(from, path)).isDirectory()) mkdirSync(join(to, path));
      else copyFileSync(join(from, path), join(to, path));
    } catch (error) {
      // What was being written has its own name by now.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  };
  mkdirSync(to);
  for (const part of readdirSync(from).sort((one, other) => rank(one) - rank(other))) {
    copy(part);
    if (statSync(join(to, part), { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    const inside = readdirSync(join(from, part), { recursive: true, encoding: 'utf8' });
    for (const name of inside.sort()) copy(join(part, name));
  }
}
