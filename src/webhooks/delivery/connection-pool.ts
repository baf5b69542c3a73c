/**
 * The connections to all endpoints, a bounded number of them for each and in all. An endpoint is a whole URL, not
 * an origin: accounts whose receivers share a host don't wait for each other.
 *
 * When all places are taken, the connection that has been unused for the longest time gives way. When none is
 * unused there is no place: the caller hears so at once, and nothing queues here, where waiting would eat up an
 * attempt's time.
 *
 * Of connections whose last answer was a failure few are kept unused, the latest. An open TLS connection takes some
 * 90 KB, and what failed is mostly attempted again a minute later: a thousand receivers that answer 500 would hold
 * that for nothing. One that fails for a moment, while much waits for it, keeps its own.
 */
import { type ConnectionSettings, EndpointConnection } from './endpoint-connection.ts';
import type { WebhookTarget } from './webhook-target.ts';

export interface PoolLimits {
  readonly perEndpoint: number;
  readonly inAll: number;
  /** Unused ones whose last answer was a failure. */
  readonly idleAfterFailure: number;
}

interface Endpoint {
  connections: number;
  readonly idle: EndpointConnection[];
}

export class ConnectionPool {
  readonly #settings: ConnectionSettings;
  readonly #limits: PoolLimits;
  readonly #connections = new Set<EndpointConnection>();
  readonly #endpoints = new Map<string, Endpoint>();
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

  /** A connection that nobody else uses until it is given back; undefined when there is no place for one. */
  take(target: WebhookTarget): EndpointConnection | undefined {
    const endpoint = this.#endpoints.get(target.href) ?? { connections: 0, idle: [] };
    const idle = endpoint.idle.pop();
    if (idle !== undefined) {
      this.#forgetIdle(idle);
      return idle;
    }
    if (endpoint.connections >= this.#limits.perEndpoint || !this.#makeRoom()) return undefined;
    const connection = new EndpointConnection(target, this.#settings, this.#onGone);
    this.#connections.add(connection);
    endpoint.connections += 1;
    this.#endpoints.set(target.href, endpoint);
    return connection;
  }

  /**
   * Every connection that was taken comes back here. Unless it is `reusable`, whatever it is doing ends; `failed`, when
   * its request was answered, and not with success.
   */
  giveBack(connection: EndpointConnection, use: 'reusable' | 'failed' | 'ended'): void {
    const endpoint = this.#endpoints.get(connection.target.href);
    if (use === 'ended' || !connection.isOpen || endpoint === undefined) return this.#drop(connection);
    endpoint.idle.push(connection);
    this.#givenBack += 1;
    connection.idleOrder = this.#givenBack;
    if (use === 'failed') this.#keepAfterFailure(connection);
  }

  /** Breaks off all connections, used ones included. */
  close(): void {
    for (const connection of this.#connections) this.#drop(connection);
  }

  /** The one that has been unused for the longest time gives way. */
  #keepAfterFailure(connection: EndpointConnection): void {
    this.#idleAfterFailure.add(connection);
    const [longestIdle] = this.#idleAfterFailure;
    if (longestIdle === undefined || this.#idleAfterFailure.size <= this.#limits.idleAfterFailure) return;
    this.#drop(longestIdle);
  }

  #forgetIdle(connection: EndpointConnection): void {
    connection.idleOrder = undefined;
    this.#idleAfterFailure.delete(connection);
  }

  #makeRoom(): boolean {
    if (this.#connections.size < this.#limits.inAll) return true;
    const longestIdle = this.#longestIdle();
    if (longestIdle === undefined) return false;
    this.#drop(longestIdle);
    return true;
  }

  /** Looked for among all: where one is wanted a handshake follows, which costs a hundred times as much. */
  #longestIdle(): EndpointConnection | undefined {
    let longestIdle: EndpointConnection | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const connection of this.#connections) {
      const { idleOrder } = connection;
      if (idleOrder === undefined || idleOrder >= least) continue;
      longestIdle = connection;
      least = idleOrder;
    }
    return longestIdle;
  }

  #drop(connection: EndpointConnection): void {
    if (!this.#connections.delete(connection)) return;
    this.#forgetIdle(connection);
    const endpoint = this.#endpoints.get(connection.target.href);
    if (endpoint !== undefined) {
      endpoint.connections -= 1;
      const index = endpoint.idle.indexOf(connection);
      if (index !== -1) endpoint.idle.splice(index, 1);
      if (endpoint.connections === 0) this.#endpoints.delete(connection.target.href);
    }
    connection.destroy();
  }

  /** Of one in use its user learns by the exchange; it is dropped when it is given back. */
  readonly #onGone = (connection: EndpointConnection): void => {
    if (connection.idleOrder !== undefined) this.#drop(connection);
  };
}
