/** Starts the floor server in a process of its own and waits until it listens. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BuyerClient } from '../../test/support/buyer-client.ts';
import type { Stage } from '../shop/stage.ts';
import type { RunningNode } from './running-node.ts';

/** How long an answer is, so that the floor moves as many bytes as a purchase. */
export interface ReplyShape {
  readonly bodyBytes: number;
  readonly requestIdBytes: number;
}

const readyTimeoutMs = 10_000;

/** Buys once, to see how long an answer is. The books know of the purchase. */
export async function replyShapeOf(stage: Stage): Promise<ReplyShape> {
  await stage.world.stockUp({ first: 0, count: 1 }, 10);
  const buyer = new BuyerClient(stage.node.buyerUrl);
  try {
    const { apiKeys, products } = stage.world;
    const body = { productId: products[0]?.productId ?? 0, expectedPriceUsdt: products[0]?.priceUsdt ?? 0 };
    const reply = await buyer.purchase(apiKeys[0] ?? '', 'bench-probe', body);
    if (reply.status !== 201)
      throw new Error(`the first purchase was answered ${reply.status}: ${reply.text}`);
    stage.audit.readOrder('probe', { account: 0, product: 0, text: reply.text });
    const requestId = reply.headers['x-request-id'];
    return {
      bodyBytes: Buffer.byteLength(reply.text),
      requestIdBytes: typeof requestId === 'string' ? requestId.length : 20,
    };
  } finally {
    buyer.close();
  }
}

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
