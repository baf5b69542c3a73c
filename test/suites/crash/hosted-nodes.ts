/** The program of a `NodeHost`: starts a node when it is told to, stops it when it is told to, and says what came of it. */
import { pino } from 'pino';
import { loadConfig } from '../../../src/config/config.ts';
import { PurserNode } from '../../../src/node.ts';

export type Order =
  | { readonly kind: 'start'; readonly dataDir: string; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: 'stop' };

export type Report =
  | { readonly kind: 'logged'; readonly line: string }
  | { readonly kind: 'ready'; readonly buyerUrl: string; readonly operatorUrl: string }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'stopped' };

let node: PurserNode | undefined;

process.on('message', (order: Order) => void (order.kind === 'start' ? start(order) : stop()));
process.on('disconnect', () => process.exit());

async function start({ dataDir, env }: Order & { kind: 'start' }): Promise<void> {
  const log = pino({ name: 'purser' }, { write: (line) => report({ kind: 'logged', line }) });
  let hasRefused = false;
  /** What a refused start leaves behind fails alone: `purser` would have exited. */
  const onFatal = (error: unknown): void => {
    if (!hasRefused) endWith(error);
  };
  try {
    const config = loadConfig({ data: dataDir, port: '0', operatorPort: '0' }, env, () => '');
    node = await PurserNode.start({ config, log, onFatal });
    report({ kind: 'ready', buyerUrl: node.buyerUrl, operatorUrl: node.operatorUrl });
  } catch (error) {
    hasRefused = true;
    report({ kind: 'refused', message: error instanceof Error ? error.message : String(error) });
  }
}

async function stop(): Promise<void> {
  await node?.stop();
  node = undefined;
  report({ kind: 'stopped' });
}

/** As `serve` ends, but for the form of its last line. */
function endWith(error: unknown): void {
  console.error(error);
  process.exit(1);
}

function report(what: Report): void {
  process.send?.(what);
}
