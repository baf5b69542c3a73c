/** Starts the floor server in a process of its own and waits until it listens. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RunningNode } from './running-node.ts';

/** How long an answer is, so that the floor moves as many bytes as a purchase. */
export interface ReplyShape {
  readonly bodyBytes: number;
  readonly requestIdBytes: number;
}

const readyTimeoutMs = 10_000;

/** `dataDir` undefined: no journal at all, which measures the load generator. */
export async function startFloor(dataDir: string | undefined, shape: ReplyShape): Promise<RunningNode> {
  const program = fileURLToPath(new URL(`./floor-server${import.meta.filename.slice(-3)}`, import.meta.url));
  const sizes = [
    '--reply-bytes',
    String(shape.bodyBytes),
    '--request-id-bytes',
    String(shape.requestIdBytes),
  ];
  const journal = dataDir === undefined ? ['--volatile'] : ['--data', dataDir];
  const child = spawn(process.execPath, [program, ...sizes, ...journal], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const killWithParent = () => child.kill('SIGKILL');
  process.once('exit', killWithParent);
  const exited = new Promise<void>((resolve) =>
    child.once('exit', () => {
      process.off('exit', killWithParent);
      resolve();
    }),
  );
  const url = await firstAddress(child);
  const end = (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    return exited;
  };
  return {
    buyerUrl: `${url}/api/v1/buyer`,
    operatorUrl: `${url}/operator/v1`,
    operatorToken: '',
    pid: child.pid ?? -1,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

function firstAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the floor server was not ready within ${readyTimeoutMs} ms`));
    }, readyTimeoutMs);
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(0, 1024);
      const [, url] = /^floor is ready: (\S+)\n/.exec(text) ?? [];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`the floor server ended before it was ready (${signal ?? code})`));
    });
  });
}
