/**
 * The connections to all endpoints, a bounded number in all. An endpoint is a whole URL, not an origin: accounts whose
 * receivers share a host don't wait for each other. undici's `Agent` was rejected for that, and for the bound: it has a
 * pool for each origin, and no bound over all of them.
 *
 * A caller that takes a connection always gets one: there are at least as many places as deliveries under way. When all
 * places are taken, the connection that has been unused for the longest time is closed.
 *
 * Unused connections whose last answer was a failure are few, the latest ones. An open TLS connection takes some 90 KB,
 * and a failed delivery is mostly attempted again a minute later: a thousand receivers that answer 500 would hold that
 * for nothing. One that fails for a moment, while much waits for it, keeps its own.
 */
import { type ConnectionSettings, EndpointConnection } from './endpoint-connection.ts';

export interface PoolLimits {
  /** The most connections in all: at least as many as are taken at once. */
  readonly connections: number;
  /** Unused ones whose last answer was a failure. */
  readonly idleAfterFailure: number;
}

export class ConnectionPool {
  readonly #settings: ConnectionSettings;
  readonly #limits: PoolLimits;
  /** All connections, used or not. */
  readonly #connections = new Set<EndpointConnection>();
  /** All connections by URL; no URL without one. */
  readonly #byUrl = new Map<string, EndpointConnection[]>();
  /** Unused for the longest time first. */
  readonly #idleAfterFailure = new Set<EndpointConnection>();
  /** How often one came back: the order of those that are unused. */
  #givenBack = 0;

  constructor(settings: ConnectionSettings, limits: PoolLimits) {
    this.#settings = settings;
    this.#limits = limits;
  }

  get size(): number {
    return this.#connections.size;
  }

  /** A connection that nobody else uses until it is given back. */
  take(url: URL): EndpointConnection {
    const ofUrl = this.#byUrl.get(url.href) ?? [];
    const idle = ofUrl.findLast(({ idleOrder }) => idleOrder !== undefined);
    if (idle !== undefined) {
      this.#forgetIdle(idle);
      return idle;
    }
    if (this.#connections.size >= this.#limits.connections) this.#dropLongestIdle();
    const connection = new EndpointConnection(url, this.#settings, this.#onGone);
    this.#connections.add(connection);
    // Read again: what was dropped may have been of this URL.
    this.#byUrl.set(url.href, [...(this.#byUrl.get(url.href) ?? []), connection]);
    return connection;
  }

  /**
   * Every connection that was taken comes back here. Unless it is `reusable`, whatever it is doing ends; `failed`, when
   * its request was answered, and not with success.
   */
  giveBack(connection: EndpointConnection, use: 'reusable' | 'failed' | 'ended'): void {
    if (use === 'ended' || !connection.isOpen) return this.#drop(connection);
    this.#givenBack += 1;
    connection.idleOrder = this.#givenBack;
    if (use !== 'failed') return;
    this.#idleAfterFailure.add(connection);
    const [longestIdle] = this.#idleAfterFailure;
    if (this.#idleAfterFailure.size > this.#limits.idleAfterFailure) this.#drop(longestIdle);
  }

  /** Breaks off all connections, used ones included. */
  close(): void {
    for (const connection of this.#connections) this.#drop(connection);
  }

  #forgetIdle(connection: EndpointConnection): void {
    connection.idleOrder = undefined;
    this.#idleAfterFailure.delete(connection);
  }

  /** Looked for among all: where one is wanted a handshake follows, which costs a hundred times as much. */
  #dropLongestIdle(): void {
    let longestIdle: EndpointConnection | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const connection of this.#connections) {
      const { idleOrder } = connection;
      if (idleOrder === undefined || idleOrder >= least) continue;
      longestIdle = connection;
      least = idleOrder;
    }
    this.#drop(longestIdle);
  }

  #drop(connection: EndpointConnection | undefined): void {
    if (connection === undefined || !this.#connections.delete(connection)) return;
    this.#forgetIdle(connection);
    const { href } = connection.url;
    const others = (this.#byUrl.get(href) ?? []).filter((other) => other !== connection);
    if (others.length > 0) this.#byUrl.set(href, others);
    else this.#byUrl.delete(href);
    connection.destroy();
  }

  /**
   * Closed connections. The user of one that is in use learns it from the exchange, and it is dropped when it is given
   * back.
   */
  readonly #onGone = (connection: EndpointConnection): void => {
    if (connection.idleOrder !== undefined) this.#drop(connection);
  };
}
