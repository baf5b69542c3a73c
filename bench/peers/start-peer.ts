/** Starts a peer with all of its processes, and ends them: the side of the benchmark. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isRunning, killTree, processTree } from '../measure/process-tree.ts';
import type { RunningNode } from '../systems/running-node.ts';
import type { StartSystemOptions, SystemName } from '../systems/system.ts';
import type { PeerArguments, PeerReady } from './peer-messages.ts';

/** Resolves when it accepts requests. Its processes end with this one. */
export async function startPeer(name: SystemName, options: StartSystemOptions): Promise<RunningNode> {
  const operatorToken = randomBytes(16).toString('hex');
  const given: PeerArguments = { name, operatorToken, ...options };
  const program = fileURLToPath(new URL(`./peer-process${import.meta.filename.slice(-3)}`, import.meta.url));
  const child = spawn(process.execPath, ['--enable-source-maps', program, JSON.stringify(given)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // A process group of its own: Ctrl-C goes to the benchmark alone, which then stops the peer.
    detached: true,
  });
  const pid = child.pid ?? -1;
  const killWithParent = () => killTree(pid);
  process.once('exit', killWithParent);
  const exited = once(child, 'exit').finally(() => process.off('exit', killWithParent));
  const { port } = await readyOf(name, child, exited);
  return {
    buyerUrl: `http://127.0.0.1:${port}/api/v1/buyer`,
    operatorUrl: `http://127.0.0.1:${port}/operator/v1`,
    operatorToken,
    pid,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const tree = processTree(pid);
      killTree(pid);
      await exited;
      while (tree.some(isRunning)) await delay(1);
    },
  };
}

async function readyOf(name: SystemName, child: ChildProcess, exited: Promise<unknown>): Promise<PeerReady> {
  const ready = once(child, 'message').then(([message]) => message as PeerReady);
  const failed = exited.then(() => {
    throw new Error(`${name} ended before it was ready (${child.signalCode ?? child.exitCode})`);
  });
  return Promise.race([ready, failed]);
}
