/**
 * The composition root: the only place that meets the real clock, process and standard streams.
 *
 * The ready line is the one line on standard output that programs wait for; logs go to standard error.
 */
import type { Logger } from 'pino';
import type { ClusterNode } from './cluster/node/cluster-node.ts';
import type { Config } from './config/config.ts';
import type { WhileWaiting } from './node/backups.ts';
import type { NodeOptions } from './node/data-folder.ts';
import { lastWords } from './node/last-words.ts';
import { PurserNode } from './node/node.ts';
import { logWhatIsWritten, openNodeLog } from './node/node-log.ts';
import { ServiceManager } from './node/service-manager.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Serves until SIGTERM or SIGINT; resolves when the node takes requests. */
export async function serve(
  config: Config,
  tuning: Pick<NodeOptions, 'segmentBytes' | 'foldIntervalMs' | 'compaction' | 'alertLookMs'> = {},
): Promise<void> {
  const log = openNodeLog(config.logLevel);
  if (config.warning !== undefined) log.warn(config.warning);
  // On a terminal, plain text stays plain text.
  const giveBack = process.stderr.isTTY ? () => {} : logWhatIsWritten(log, process.stderr);
  const onFatal = (error: unknown): void => {
    try {
      const details = log.isLevelEnabled('debug') ? { err: error } : {};
      log.fatal(details, `fatal: stopping, because durability can't be guaranteed: ${lastWords(error)}`);
    } finally {
      process.exit(1);
    }
  };
  process.on('uncaughtException', onFatal);
  process.on('unhandledRejection', onFatal);
  try {
    await start({ config, log, onFatal, whileWaiting: untilSignal(log), ...tuning });
  } catch (error) {
    // The caller reports it.
    giveBack();
    throw error;
  }
}

async function start(options: NodeOptions): Promise<void> {
  const { config, log, onFatal } = options;
  const running: { node?: AnyNode } = {};
  // Also where there is nothing to read, and before the node is there: by itself the signal would end the process.
  process.on('SIGHUP', () => running.node?.readFilesAgain());
  const node = await startNode(options);
  running.node = node;
  const stops = [() => node.stop()];
  const systemd = new ServiceManager({ env: process.env, pid: process.pid, log });
  const isStopping = stopOnSignal(stops, {
    log,
    onFatal,
    onStopping: () => systemd.stopping(),
    open: () => node.open,
    isHanging: () => node.isHanging,
  });
  if (config.demo) {
    // Loaded only now: no other node needs the example of a supplier.
    const { startDemo } = await import('./demo/demo.ts');
    try {
      stops.push(await startDemo(node, config.dataDir, (line) => process.stdout.write(`${line}\n`)));
    } catch (error) {
      // The demo is set up over the operator API, which a signal closes.
      if (isStopping()) return;
      throw new Error(`the demo could not be set up: ${(error as Error).message}`, { cause: error });
    }
  }
  const { buyerUrl, operatorUrl, recovered } = node;
  log.info({ startMs: msSince(0), ...recovered, buyerUrl, operatorUrl }, 'ready');
  systemd.ready(() => node.isHealthy);
  process.stdout.write(`purser is ready: buyer API ${buyerUrl}, operator API ${operatorUrl}\n`);
}

type AnyNode = PurserNode | ClusterNode;

/** A node of a cluster is loaded only where there is one: no other node needs PostgreSQL. */
async function startNode(options: NodeOptions): Promise<AnyNode> {
  if (options.config.log === undefined) return await PurserNode.start(options);
  const { ClusterNode } = await import('./cluster/node/cluster-node.ts');
  const onEnd = (why: string): void => {
    options.log.fatal(`stopping: ${why}`);
    process.exit(1);
  };
  return await ClusterNode.start({ ...options, onEnd });
}

/** A signal stops a start that waits, as it stops a node. Elsewhere in a start it ends the process by itself. */
function untilSignal(log: Logger): WhileWaiting {
  return async (work, isHanging) => {
    const stopping = new AbortController();
    const stop = (signal: NodeJS.Signals): void => {
      log.info({ signal }, 'stopping the start');
      stopping.abort();
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    try {
      await work(stopping.signal);
    } catch (error) {
      if (stopping.signal.aborted) endProcess(log, isHanging());
      throw error;
    } finally {
      for (const signal of SIGNALS) process.off(signal, stop);
    }
  };
}

function endProcess(log: Logger, isHanging: boolean): void {
  if (!isHanging) process.exit(0);
  log.warn('killing the process: the target of the backup does not answer, and holds a thread');
  process.kill(process.pid, 'SIGKILL');
}

interface Stopping {
  readonly log: Logger;
  readonly onFatal: (error: unknown) => void;
  readonly onStopping: () => void;
  /** The open connections and requests, for the log. */
  readonly open: () => unknown;
  /** Once stopped: whether the process can't exit by itself. */
  readonly isHanging: () => boolean;
}

/** One after the other: what the node waits for may be the next one's. The answer tells whether a signal came. */
function stopOnSignal(
  stops: readonly (() => Promise<void>)[],
  { log, onFatal, onStopping, open, isHanging }: Stopping,
) {
  let isStopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (isStopping) return;
    isStopping = true;
    const fromMs = performance.now();
    log.info({ signal, open: open() }, 'draining');
    onStopping();
    stopAll(stops).then(() => {
      log.info({ stopMs: msSince(fromMs) }, 'stopped');
      endProcess(log, isHanging());
    }, onFatal);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  return () => isStopping;
}

async function stopAll(stops: readonly (() => Promise<void>)[]): Promise<void> {
  for (const stop of stops) await stop();
}

/** `earlierMs` is on the clock that began with the process. */
function msSince(earlierMs: number): number {
  return Math.round(performance.now() - earlierMs);
}
