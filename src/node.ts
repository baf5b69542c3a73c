/**
 * One node, wired, top to bottom: data folder ─▶ stock, files, webhooks ─▶ engine ─▶ feed, suppliers ─▶ APIs ─▶ ports.
 *
 * Invariant: the lock comes first and goes last; files are proved before LMDB opens them; no port opens before the
 * state is whole. `stop` is the same way back: answers, then facts, then stock, whose late writers still find a
 * journal, then the journal. An import closes the node and opens it again, on the same ports, with another folder in
 * its place; it waits for whoever stops the node, and whoever stops it for that.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { makeApis, openPorts } from './apis.ts';
import type { Config } from './config/config.ts';
import type { NodeOptions } from './folder-parts.ts';
import type { Listener } from './http/transport/transport.ts';
import type { ChosenTransport } from './http/transport/transport-choice.ts';
import { buyerUrlOf, operatorUrlOf, renewCertificate } from './listeners.ts';
import { type NodeParts, openParts } from './node-parts.ts';
import { beginStart } from './node-start.ts';
import { tellAddress } from './operator-address.ts';
import { type OperatorParts, openOperatorParts, tellMissing } from './operator-parts.ts';
import { NodeImport } from './restore/import/node-import.ts';

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
  readonly #chosen: ChosenTransport;
  readonly #import: NodeImport;
  /** The configuration, with the ports that were chosen once it listens. */
  #config: Config;
  /** The parts of the open node; of a closed one, those that it had last. */
  #opened!: Opened;
  #isClosed = false;
  #isStopping = false;
  #hung = false;

  private constructor(options: NodeOptions, chosen: ChosenTransport) {
    this.#options = options;
    this.#config = options.config;
    this.#chosen = chosen;
    const { dataDir, masterKey, backup } = options.config;
    this.#import = new NodeImport({
      folder: dataDir,
      masterKey,
      backup,
      clock: Date.now,
      opened: () => ({
        epochs: this.#opened.parts.engine.state.epochs.list,
        log: this.#opened.parts.frameLog,
      }),
      reopen: (change) => this.#reopen(change),
    });
  }

  /** Throws errors whose message is one line that says what is wrong and what to do. */
  static async start(options: NodeOptions): Promise<PurserNode> {
    const chosen = await beginStart(options);
    const node = new PurserNode(options, chosen);
    await node.#open();
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
    return this.#hung;
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
    this.#isStopping = true;
    await this.#import.stop();
    await this.#close();
  }

  async #open(): Promise<void> {
    const options = { ...this.#options, config: this.#config };
    const { config } = options;
    const parts = await openParts(options);
    const operators = openOperatorParts(config, parts.keys, options.log);
    const { name, transport } = this.#chosen;
    const configInForce = () => this.#config;
    const apis = makeApis(config, parts, {
      transport: name,
      operators,
      imports: this.#import,
      configInForce,
    });
    const listeners = await openPorts(config, parts, apis, transport);
    const [buyer, operator] = listeners;
    this.#config = { ...config, port: buyer.port, operatorPort: operator.port };
    this.#opened = { parts, listeners, operators };
    tellAddress(config.dataDir, options.log, this.operatorUrl);
    tellMissing(operators, options.log);
  }

  /** Once. */
  async #close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await close(this.#opened);
    this.#hung ||= this.#opened.parts.backupParts.backups.isHanging;
  }

  /** `change` never rejects. */
  async #reopen(change: () => Promise<void>): Promise<void> {
    const { log, onFatal } = this.#options;
    try {
      log.info('closing the data folder: another one takes its place');
      await this.#close();
      await change();
      if (this.#isStopping) return;
      await this.#open();
      this.#isClosed = false;
      log.info(this.recovered, 'ready again');
    } catch (error) {
      onFatal(error);
      throw error;
    }
  }
}

async function close({ parts, listeners, operators }: Opened): Promise<void> {
  const { stopping, feed, suppliers, webhooks, keyParts, alerts, alertWatch, stock, files, lock } = parts;
  const { engine, checkpointer, frameLog, tables, requestLogs, measured, backupParts, drillParts } = parts;
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
  await Promise.race([Promise.all(parts.underWay), delay(leftMs, undefined, { ref: false })]);
  await operators.sessions.stop();
  await webhooks.close();
  await feed.stop();
  await suppliers.stop();
  await keyParts.stop();
  await alerts.stop();
  await requestLogs.stop();
  await engine.idle();
  await checkpointer.stop();
  await stock.close();
  await files.close();
  // Nothing is written any more.
  await backupParts.backups.stop();
  await frameLog.close();
  await tables.environment.close();
  await lock.release();
}
