/**
 * One node, wired, top to bottom: data folder ─▶ stock, files, webhooks ─▶ engine ─▶ feed, suppliers ─▶ APIs ─▶ ports.
 *
 * Invariant: the lock comes first and goes last; files are proved before LMDB opens them; no port opens before the
 * state is whole. `stop` is the same way back: answers, then facts, then stock, whose late writers still find a
 * journal, then the journal.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { allEnded } from '../http/request-context.ts';
import type { Listener } from '../http/transport/transport.ts';
import type { ChosenTransport } from '../http/transport/transport-choice.ts';
import { makeApis, openPorts } from './apis.ts';
import type { NodeOptions } from './data-folder.ts';
import { buyerUrlOf, operatorUrlOf, renewCertificate } from './listeners.ts';
import { beginStart } from './node-start.ts';
import { type NodeParts, openParts } from './opened-node.ts';
import { tellAddress } from './operator-address.ts';
import { type OperatorParts, openOperatorParts, tellMissing } from './operators.ts';

/** How long requests under way may still take when the node stops, unless a supplier is being asked. */
const DRAIN_MS = 10_000;
/** A commit takes milliseconds; one that takes so long hangs. */
const HANG_MS = 20_000;

interface Opened {
  readonly parts: NodeParts;
  /** The buyers' first. */
  readonly listeners: readonly [Listener, Listener];
  readonly operators: OperatorParts;
}

export class PurserNode {
  readonly #options: NodeOptions;
  /** The configuration, with the ports that were chosen once it listens. */
  #config: Config;
  /** The parts of the open node; of a closed one, those that it had last. */
  #opened!: Opened;
  #isClosed = false;

  private constructor(options: NodeOptions) {
    this.#options = options;
    this.#config = options.config;
  }

  /** Throws errors whose message is one line that says what is wrong and what to do. */
  static async start(options: NodeOptions): Promise<PurserNode> {
    const chosen = await beginStart(options);
    const node = new PurserNode(options);
    await node.#open(chosen);
    if (chosen.warning !== undefined) options.log.warn(chosen.warning);
    return node;
  }

  get buyerUrl(): string {
    return buyerUrlOf(this.#config);
  }

  get operatorUrl(): string {
    return operatorUrlOf(this.#config);
  }

  get operatorToken(): string {
    return this.#opened.operators.operatorToken;
  }

  /** How the start went. */
  get recovered(): { readonly journalPosition: number; readonly factsReplayed: number } {
    const { engine, replayed } = this.#opened.parts;
    return { journalPosition: engine.durablePosition, factsReplayed: replayed };
  }

  /** Connections, requests and purchases that a stop has to wait for. */
  get open() {
    const { parts, listeners } = this.#opened;
    const [buyers, operators] = listeners.map(({ open }) => open);
    return { buyers, operators, supplierPurchases: parts.suppliers.purchasing.underWay };
  }

  /** Whether, after `stop`, something holds a thread of the process, which only a kill ends. */
  get isHanging(): boolean {
    return this.#isClosed && this.#opened.parts.backupParts.backups.isHanging;
  }

  /** Whether it does its work, for who watches it from outside; also with a full disk, which another start does not mend. */
  get isHealthy(): boolean {
    return this.#isClosed || this.#opened.parts.journal.waitingMs < HANG_MS;
  }

  /** Other programs may have renamed the access log's file, or renewed the certificate. */
  readFilesAgain(): void {
    const { parts, listeners } = this.#opened;
    parts.requestLogs.reopen();
    renewCertificate(this.#config, listeners[0], this.#options.log);
  }

  /** Answers what is under way, makes it durable, folds it, and lets go of the folder. */
  async stop(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await close(this.#opened);
  }

  async #open({ name, transport }: ChosenTransport): Promise<void> {
    const { config, log } = this.#options;
    const parts = await openParts(this.#options);
    const operators = openOperatorParts(config, parts.keys, log);
    const configInForce = () => this.#config;
    const apis = makeApis(config, parts, { transport: name, operators, configInForce });
    const listeners = await openPorts(config, parts, apis, transport);
    const [buyer, operator] = listeners;
    this.#config = { ...config, port: buyer.port, operatorPort: operator.port };
    this.#opened = { parts, listeners, operators };
    tellAddress(config.dataDir, log, this.operatorUrl);
    tellMissing(operators, log);
  }
}

async function close({ parts, listeners, operators }: Opened): Promise<void> {
  const { stopping, feed, suppliers, webhooks, alerts, alertWatch, stock, files, lock } = parts;
  const { engine, checkpointer, frameLog, checkpoint, requestLogs, measured, backupParts, drillParts } =
    parts;
  stopping.abort();
  measured.stop();
  // Its readers' replies last for as long as the node does, unless they are ended.
  feed.end();
  const drainMs = Math.max(DRAIN_MS, suppliers.longestAnswerMs);
  const endMs = performance.now() + drainMs;
  const answered = listeners.map((listener) => listener.stop(drainMs));
  // The watch may wait for a disk: no connection is taken meanwhile.
  await Promise.all([...answered, webhooks.stop(), alertWatch.stop(), drillParts.stop()]);
  // Whoever asked for it may be gone, and then no listener has waited for it.
  const leftMs = Math.max(0, endMs - performance.now());
  await Promise.race([allEnded(parts.underWay), delay(leftMs, undefined, { ref: false })]);
  await operators.sessions.stop();
  await webhooks.close();
  await feed.stop();
  await suppliers.stop();
  await alerts.stop();
  await requestLogs.stop();
  await engine.idle();
  await checkpointer.stop();
  await stock.close();
  await files.close();
  // Nothing is written any more.
  await backupParts.backups.stop();
  await frameLog.close();
  checkpoint.close();
  await lock.release();
}
