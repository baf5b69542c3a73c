/**
 * The ports of a node of a cluster, which are open from its start to its end, and the APIs that answer behind them.
 *
 * Invariant: a reply of a leader's API leaves only while its lease is held, which is looked at when the reply leaves. A
 * reply that is later becomes `NOT_LEADING`, whatever it was: another node may have changed what it tells.
 */
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { notLeadingReply } from '../../http/not-leading.ts';
import { OPERATOR_BASE_PATH } from '../../http/operator/operator-api.ts';
import type { Listener, Transport } from '../../http/transport/transport.ts';
import { type Apis, openPorts } from '../../node/apis.ts';
import type { FolderParts } from '../../node/data-folder.ts';
import { renewCertificate } from '../../node/listeners.ts';
import type { StateParts } from '../../node/state.ts';
import type { Lease } from '../../threads/lease.ts';

/** Paths that tell of the node itself, whoever leads. */
const OF_THE_NODE = new Set([
  ...['/live', '/ready', '/status', '/metrics', '/cluster', '/cluster/handover', '/cluster/trim'].map(
    (path) => OPERATOR_BASE_PATH + path,
  ),
  '/metrics',
]);

export class ClusterFront {
  #apis: Apis;
  #lease: Lease | undefined;
  #onLate: () => void = () => {};
  #listeners: readonly [Listener, Listener] | undefined;

  constructor(apis: Apis) {
    this.#apis = apis;
  }

  async open(
    config: Config,
    folder: FolderParts,
    { measured }: StateParts,
    transport: Transport,
  ): Promise<readonly [Listener, Listener]> {
    const behind: Apis = {
      buyers: (exchange) => this.#apis.buyers(exchange),
      operators: (exchange) => this.#apis.operators(exchange),
      requestIds: { next: () => this.#apis.requestIds.next() },
    };
    this.#listeners = await openPorts(
      config,
      { ...folder, measured },
      behind,
      transport,
      ({ path, requestId }) => {
        if (this.#lease === undefined || this.#lease.isHeld || OF_THE_NODE.has(path)) return undefined;
        this.#onLate();
        return notLeadingReply(requestId);
      },
    );
    return this.#listeners;
  }

  /** Answers by `apis` from here on, while the lease is held. `onLate`: a reply came later. */
  lead(apis: Apis, lease: Lease, onLate: () => void): void {
    this.#apis = apis;
    this.#lease = lease;
    this.#onLate = onLate;
  }

  /** Answers requests from here on as a follower does. Earlier replies still leave, while the lease is held. */
  retire(apis: Apis): void {
    this.#apis = apis;
  }

  renewCertificate(config: Config, log: Logger): void {
    const [buyers] = this.#listeners ?? [];
    if (buyers !== undefined) renewCertificate(config, buyers, log);
  }

  get underWay(): { readonly buyers: Listener['open']; readonly operators: Listener['open'] } | undefined {
    const [buyers, operators] = this.#listeners ?? [];
    return buyers && operators && { buyers: buyers.open, operators: operators.open };
  }

  async stop(graceMs: number): Promise<void> {
    await Promise.all((this.#listeners ?? []).map((listener) => listener.stop(graceMs)));
  }
}
