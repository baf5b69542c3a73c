/**
 * One node of a cluster, from its start to its end: it follows, then it may lead, then it ends.
 *
 * Invariant: there is no way back from leading to following but a new start. The ports are open all the time; buyers
 * are answered while this node leads and its lease is held, and told who leads otherwise. A node that ends by itself
 * says why in one line, and its exit code isn't 0. A node whose log was lost goes on telling so, and neither follows
 * nor leads.
 */

import type { Config } from '../../config/config.ts';
import type { Origin } from '../../engine/origin.ts';
import type { ClusterStatus } from '../../http/operator/node/cluster-services.ts';
import type { ChosenTransport } from '../../http/transport/transport-choice.ts';
import type { ActingParts } from '../../node/acting.ts';
import { makeApis } from '../../node/apis.ts';
import { type FolderParts, type NodeOptions, openFolderParts } from '../../node/data-folder.ts';
import { buyerUrlOf, operatorUrlOf } from '../../node/listeners.ts';
import { beginStart } from '../../node/node-start.ts';
import { tellAddress } from '../../node/operator-address.ts';
import { type OperatorParts, openOperatorParts, tellMissing } from '../../node/operators.ts';
import { withCauses } from '../../shared/error-code.ts';
import { ClusterError } from '../cluster-error.ts';
import { PlaceKeeper } from '../place-keeper.ts';
import { type FollowerApis, makeFollowerApis } from './follower-apis.ts';
import { Following } from './following.ts';
import { ClusterFront } from './front.ts';
import { Leading, within } from './leading.ts';
import { ANOTHER_WANTED, ClusterMembers } from './members.ts';
import { type ClusterParts, openClusterParts } from './shared-log.ts';

/** Between two looks at the lease, at the place, and at how far the folder is. */
const LOOK_MS = 100;
const KEEP_PLACE_MS = 1_000;
/** The time for replies under way at the end, which are told who leads. */
const LAST_REPLIES_MS = 100;
const FOLLOWER_STOP_MS = 1_000;

export interface ClusterNodeOptions extends NodeOptions {
  /** The node must end: why, for the log. */
  readonly onEnd: (why: string) => void;
}

export class ClusterNode {
  readonly #options: ClusterNodeOptions;
  /** The options for the node's parts, whose failures may mean no more than that another node leads. */
  readonly #inside: ClusterNodeOptions;
  readonly #cluster: ClusterParts;
  readonly #folder: FolderParts;
  readonly #following: Following;
  readonly #members: ClusterMembers;
  readonly #apis: FollowerApis;
  readonly #front: ClusterFront;
  readonly #places: PlaceKeeper;
  readonly #chosen: ChosenTransport;
  readonly #stopping = new AbortController();
  readonly #operators: OperatorParts;
  /** The configuration, with the ports that were chosen once it listens. */
  #config: Config;
  #leading: Leading | undefined;
  #acting: ActingParts | undefined;
  #running: Promise<void> = Promise.resolve();
  #timers: NodeJS.Timeout[] = [];
  #isServing = false;
  #isEnding = false;

  private constructor(
    options: ClusterNodeOptions,
    cluster: ClusterParts,
    folder: FolderParts,
    chosen: ChosenTransport,
  ) {
    const { config, log } = options;
    this.#options = options;
    this.#inside = { ...options, onFatal: (error: unknown) => this.#failed(error) };
    this.#config = config;
    this.#cluster = cluster;
    this.#folder = folder;
    this.#chosen = chosen;
    this.#following = new Following(this.#inside, folder, cluster, (position) =>
      this.#acting?.readThrough(position),
    );
    this.#members = new ClusterMembers({
      ...cluster,
      log,
      status: () => this.#status,
      isLeading: () => this.#isServing && this.#leading?.lease.isHeld === true,
      onAsked: (origin) => void this.#handOver(origin),
    });
    this.#operators = openOperatorParts(config, folder.keys, log);
    const operators = this.#operators;
    const configInForce = () => this.#config;
    const shared = { config, configInForce, transport: chosen.name, operators, cluster: this.#members };
    this.#apis = makeFollowerApis(folder, this.#following.state, shared);
    this.#front = new ClusterFront(this.#apis);
    this.#places = new PlaceKeeper(config.dataDir, cluster.file);
  }

  /** Throws errors whose message is one line that says what is wrong and what to do. */
  static async start(options: ClusterNodeOptions): Promise<ClusterNode> {
    const { config, log } = options;
    const chosen = await beginStart(options);
    const cluster = await openClusterParts(config);
    const opened: { node?: ClusterNode } = {};
    const onFatal = (error: unknown) =>
      opened.node === undefined ? options.onFatal(error) : opened.node.#failed(error);
    const ship = (bytes: Buffer) =>
      opened.node === undefined ? Promise.reject(NO_WRITER) : opened.node.#ship(bytes);
    const folder = await openFolderParts({ ...options, onFatal }, { ship, files: cluster.files });
    const node = new ClusterNode(options, cluster, folder, chosen);
    opened.node = node;
    await node.#begin();
    if (chosen.warning !== undefined) log.warn(chosen.warning);
    return node;
  }

  get operatorToken(): string {
    return this.#operators.operatorToken;
  }

  get buyerUrl(): string {
    return buyerUrlOf(this.#config);
  }

  get operatorUrl(): string {
    return operatorUrlOf(this.#config);
  }

  /** How the start went. */
  get recovered(): { readonly journalPosition: number; readonly factsReplayed: number } {
    const { engine, replayed } = this.#following.state;
    return { journalPosition: engine.durablePosition, factsReplayed: replayed };
  }

  get open() {
    return this.#front.underWay;
  }

  /** A process that ends needs no thread's consent. */
  readonly isHanging = false;

  /** One that does not do its work loses its lease, and ends by itself. */
  readonly isHealthy = true;

  /** See `PurserNode`. */
  readFilesAgain(): void {
    this.#folder.requestLogs.reopen();
    this.#front.renewCertificate(this.#config, this.#options.log);
  }

  /**
   * Stops the node, after the suppliers that are being asked for something. Everything else that is open goes on at the
   * next leader.
   */
  async stop(): Promise<void> {
    this.#isEnding = true;
    this.#stopping.abort();
    for (const timer of this.#timers) clearInterval(timer);
    this.#members.stop();
    void this.#cluster.trims.close();
    const { state } = this.#following;
    state.stopping.abort();
    const leading = this.#leading;
    if (leading === undefined) await within(FOLLOWER_STOP_MS, this.#running);
    else {
      this.#isServing = false;
      this.#front.retire(this.#apis);
      await leading.end(state, this.#acting?.suppliers);
    }
    await within(FOLLOWER_STOP_MS, this.#places.keep(this.#place));
    state.feed.end();
    await within(FOLLOWER_STOP_MS, this.#operators.sessions.stop());
    await within(2 * LAST_REPLIES_MS, this.#front.stop(LAST_REPLIES_MS));
    await this.#folder.requestLogs.stop();
  }

  async #begin(): Promise<void> {
    const { log } = this.#options;
    const { state } = this.#following;
    const listeners = await this.#front.open(this.#config, this.#folder, state, this.#chosen.transport);
    const [buyer, operator] = listeners;
    this.#config = { ...this.#config, port: buyer.port, operatorPort: operator.port };
    tellAddress(this.#config.dataDir, log, this.operatorUrl);
    tellMissing(this.#operators, log);
    this.#members.start();
    this.#timers = [
      setInterval(() => this.#look(), LOOK_MS),
      setInterval(() => void this.#places.keep(this.#place).catch(this.#options.onFatal), KEEP_PLACE_MS),
    ];
    this.#running = this.#run().catch((error: unknown) => this.#failed(error));
  }

  async #run(): Promise<void> {
    const begun = await this.#following.untilLeading(this.#stopping.signal);
    if (begun === undefined) return;
    const { log } = this.#options;
    const leading = new Leading({
      table: this.#cluster.table,
      begun,
      journal: this.#following.journal,
      onFenced: (error) => this.#failed(error),
    });
    this.#leading = leading;
    log.info({ term: begun.term, entry: begun.entry }, 'this node leads');
    const acting = await leading.open(this.#inside, this.#folder, this.#following.state);
    this.#acting = acting;
    if (this.#isEnding) return;
    const apis = makeApis(
      this.#config,
      { ...this.#folder, ...this.#following.state, ...acting },
      {
        transport: this.#chosen.name,
        operators: this.#operators,
        configInForce: () => this.#config,
        cluster: this.#members,
        metrics: this.#apis.metrics,
      },
    );
    this.#isServing = true;
    this.#front.lead(apis, leading.lease, () => this.#end(LATE));
    log.info({ term: begun.term }, 'buyers are served');
  }

  /** Nothing is written of texts before this node leads. */
  #ship(bytes: Buffer): Promise<void> {
    return this.#leading?.writer.append('texts', bytes) ?? Promise.reject(NO_WRITER);
  }

  get #place() {
    return this.#leading?.place(this.#folder) ?? this.#following.place;
  }

  get #status(): ClusterStatus {
    const { follower } = this.#following;
    const { itself } = this.#cluster;
    const { node } = itself;
    const leading = this.#leading;
    if (leading === undefined || this.#isEnding) {
      const { entry: applied, term } = follower.place;
      const leader = this.#isEnding && follower.leader?.node === node ? null : (follower.leader ?? null);
      return { node, role: 'follower', term, applied, confirmed: follower.confirmed, leader };
    }
    const { confirmed } = leading.writer;
    return { node, role: 'leader', term: leading.term, applied: confirmed, confirmed, leader: itself };
  }

  /** Ends a leader whose lease has run out unnoticed: it began nothing within the lease, and must not be believed. */
  #look(): void {
    if (this.#leading === undefined) return;
    this.#leading.place(this.#folder);
    if (this.#isServing && !this.#leading.lease.isHeld) this.#end(LATE);
  }

  /**
   * Hands the lead over. The node's last fact says who wanted that: whichever node was asked, only the leader can write
   * it.
   */
  async #handOver(origin: Origin): Promise<void> {
    if (this.#isEnding) return;
    const { engine } = this.#following.state;
    const act = { action: 'LeadHandedOver' } as const;
    if (this.#isServing) engine.submit({ kind: 'RecordAct', act }, () => {}, origin);
    await this.stop();
    this.#options.onEnd(ANOTHER_WANTED);
  }

  #failed(error: unknown): void {
    if (this.#isEnding) return;
    if (ClusterError.is(error, 'lost')) return this.#lost(error);
    if (ClusterError.is(error, 'ended')) return this.#end(error.message);
    for (const each of withCauses(error)) if (ClusterError.is(each, 'fenced')) return this.#end(each.message);
    this.#options.onFatal(error);
  }

  /** Ends the node. Replies that have not left are not sent as a leader's. */
  #end(why: string): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#leading?.lease.end();
    this.#front.retire(this.#apis);
    setTimeout(() => this.#options.onEnd(why), LAST_REPLIES_MS);
  }

  #lost(error: ClusterError): void {
    const { log } = this.#options;
    const { server } = this.#cluster.table;
    const message = `${error.message} (read from ${server})`;
    log.error(message);
    this.#folder.alerts.standing.begin('LOG_LOST', 0, () => ({
      message: `${message}. This node serves nothing: keep its folder.`,
      fields: { ...this.#following.place, server },
    }));
  }
}

const LATE = 'PostgreSQL has confirmed nothing for two seconds, so another node may lead by now';

const NO_WRITER = new Error('a node that follows ships no texts');
