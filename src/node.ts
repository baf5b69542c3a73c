/**
 * One node, wired: data folder ─▶ recovery ─▶ engine ─▶ checkpoint, stock, files ─▶ APIs ─▶ listeners.
 *
 * What always holds: the lock comes first and goes last; files are proved before LMDB opens them; no port opens
 * before the state is whole. `stop` is the same way back: answers, then facts, then files.
 */
import { join } from 'node:path';
import type { Config } from './config/config.ts';
import { BUYER_BASE_PATH, PURCHASE_PATH } from './http/buyer/buyer-api.ts';
import { OPERATOR_BASE_PATH } from './http/operator/operator-api.ts';
import { openNodeTransport } from './http/transport/node.ts';
import type { Listener } from './http/transport/transport.ts';
import { chooseTransport } from './http/transport/transport-choice.ts';
import { listen, urlOf } from './listeners.ts';
import { type NodeOptions, NodeParts } from './node-parts.ts';
import { loadOperatorToken } from './operator-token.ts';
import { writeDurably } from './persistence/disk/durable-file.ts';
import { ADDRESS_FILE, prepareFolder } from './persistence/folder/data-folder.ts';
import { lockFolder } from './persistence/folder/folder-lock.ts';

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
    const { name, transport, warning } = await chooseTransport(config.transport);
    prepareFolder(config.dataDir);
    const lock = await lockFolder(config.dataDir);
    const parts = await NodeParts.open(options, lock);
    const operatorToken = loadOperatorToken(config.dataDir, config.operatorToken);
    const { buyerApi, operatorApi } = parts.apis(operatorToken, name);
    const { requestIds, onFault, onRefused } = parts;
    const buyer = await listen({
      transport,
      host: config.host,
      port: config.port,
      onExchange: buyerApi.onExchange,
      frequentPost: PURCHASE_PATH,
      requestIds,
      onFault,
      onRefused,
    });
    // Uploads of any size come here, and uWebSockets.js can't be kept from reading on: see `BodyStream`.
    const operator = await listen({
      transport: openNodeTransport(),
      host: config.operatorHost,
      port: config.operatorPort,
      onExchange: operatorApi.onExchange,
      requestIds,
      onFault,
    });
    const node = new PurserNode(parts, operatorToken, [buyer, operator], config);
    tellAddress(options, node.operatorUrl);
    if (warning !== undefined) log.warn(warning);
    return node;
  }

  /** Answers what is under way, makes it durable, folds it, and lets go of the folder. */
  async stop(): Promise<void> {
    this.#parts.isDraining = true;
    this.#parts.endFeed();
    const drainMs = Math.max(DRAIN_MS, this.#parts.longestAnswerMs);
    const answered = this.#listeners.map((listener) => listener.stop(drainMs));
    await Promise.all([...answered, this.#parts.stopWebhooks()]);
    await this.#parts.close();
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
