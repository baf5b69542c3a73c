/**
 * One node, wired, top to bottom: data folder ─▶ stock, files, webhooks ─▶ engine ─▶ feed, suppliers ─▶ APIs ─▶ ports.
 *
 * What always holds: the lock comes first and goes last; files are proved before LMDB opens them; no port opens
 * before the state is whole. `stop` is the same way back: answers, then facts, then stock, whose late writers still
 * find a journal, then the journal.
 */
import { join } from 'node:path';
import { openApis } from './apis.ts';
import type { Config } from './config/config.ts';
import { configured } from './config/configured.ts';
import { BUYER_BASE_PATH } from './http/buyer/buyer-api.ts';
import { OPERATOR_BASE_PATH } from './http/operator/operator-api.ts';
import type { Listener } from './http/transport/transport.ts';
import { chooseTransport } from './http/transport/transport-choice.ts';
import { urlOf } from './listeners.ts';
import { type NodeOptions, type NodeParts, openParts } from './node-parts.ts';
import { loadOperatorToken } from './operator-token.ts';
import { writeDurably } from './persistence/disk/durable-file.ts';
import { ADDRESS_FILE } from './persistence/folder/data-folder.ts';
import { PURSER_VERSION } from './version.ts';

/** How long requests under way may still take when the node stops, unless a supplier is being asked. */
const DRAIN_MS = 10_000;

export class PurserNode {
  readonly buyerUrl: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
  readonly #parts: NodeParts;
  readonly #listeners: readonly Listener[];

  private constructor(parts: NodeParts, token: string, listeners: [Listener, Listener], config: Config) {
    const [buyer, operator] = listeners;
    this.#parts = parts;
    this.#listeners = listeners;
    this.operatorToken = token;
    this.buyerUrl = urlOf(config.host, buyer.port, BUYER_BASE_PATH);
    this.operatorUrl = urlOf(config.operatorHost, operator.port, OPERATOR_BASE_PATH);
  }

  /** Throws errors whose message is one line that says what is wrong and what to do. */
  static async start(options: NodeOptions): Promise<PurserNode> {
    const { config, log } = options;
    const chosen = await chooseTransport(config.transport);
    log.info(
      { version: PURSER_VERSION, node: process.version, transport: chosen.name, options: configured(config) },
      'starting',
    );
    const parts = await openParts(options);
    const operatorToken = loadOperatorToken(config.dataDir, config.operatorToken);
    const listeners = await openApis(config, parts, chosen, operatorToken);
    const node = new PurserNode(parts, operatorToken, listeners, config);
    tellAddress(options, node.operatorUrl);
    if (chosen.warning !== undefined) log.warn(chosen.warning);
    return node;
  }

  /** How the start went. */
  get recovered(): { readonly journalPosition: number; readonly factsReplayed: number } {
    return { journalPosition: this.#parts.engine.durablePosition, factsReplayed: this.#parts.replayed };
  }

  /** What a stop has to wait for. */
  get open() {
    const [buyers, operators] = this.#listeners.map(({ open }) => open);
    return { buyers, operators, supplierPurchases: this.#parts.suppliers.purchasing.underWay };
  }

  /** Another program has renamed the access log's file. */
  reopenAccessLog(): void {
    this.#parts.requestLogs.reopen();
  }

  /** Answers what is under way, makes it durable, folds it, and lets go of the folder. */
  async stop(): Promise<void> {
    const { stopping, feed, suppliers, webhooks, keyParts, alerts, alertWatch, stock, files, lock } =
      this.#parts;
    const { engine, checkpointer, frameLog, tables, requestLogs, measured, backupParts } = this.#parts;
    stopping.abort();
    measured.stop();
    // Its readers' replies last for as long as the node does, unless they are ended.
    feed.end();
    const drainMs = Math.max(DRAIN_MS, suppliers.longestAnswerMs);
    const answered = this.#listeners.map((listener) => listener.stop(drainMs));
    // The watch may wait for a disk: no connection is taken meanwhile.
    await Promise.all([...answered, webhooks.stop(), alertWatch.stop()]);
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
}

/** For commands on this machine. A full disk must not keep a node from starting. */
function tellAddress({ config, log }: NodeOptions, operatorUrl: string): void {
  try {
    writeDurably(join(config.dataDir, ADDRESS_FILE), `${operatorUrl}\n`);
  } catch (error) {
    log.warn({ err: error }, 'cannot write operator-address: commands on this machine need --operator');
  }
}
