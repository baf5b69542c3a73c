/**
 * Posts deliveries to buyers' endpoints, which may be slow, broken or hostile: every attempt ends within its time,
 * costs a bounded amount of memory, and reaches vetted addresses only. Redirects are answers like any other.
 *
 * The host is checked before every delivery, also when an open connection will be used (SPEC.md §6); a connection that
 * must be made is made to what that check gave. Trust is the system's, with NODE_EXTRA_CA_CERTS for the certificates of
 * self-hosters: there is no switch that turns the check off.
 */
import { createSecureContext } from 'node:tls';
import { parseWebhookUrl } from '../destination/webhook-url.ts';
import { ConnectionPool } from './connection-pool.ts';
import { type Answer, DeliveryExchange } from './delivery-exchange.ts';
import { type DeliveryError, DeliveryFailure, type DeliveryResult, isDelivered } from './delivery-result.ts';
import type { DestinationCache } from './destination-cache.ts';
import type { EndpointConnection } from './endpoint-connection.ts';

export interface EndpointClientOptions {
  readonly destinations: DestinationCache;
  /** The time from the start of an attempt to its status: `--webhook-timeout`. */
  readonly timeoutMs: number;
  /** PEM, in place of the system's authorities: for tests. */
  readonly ca?: string;
  /** Open connections, used or not; also the most deliveries under way. */
  readonly maxConnections: number;
  /** Default 4 s: less than common servers keep an idle connection. */
  readonly idleMs?: number;
  /** Connections that are kept unused after an answer that was a failure. Default 128. */
  readonly maxIdleAfterFailure?: number;
}

export interface Delivery {
  /** The URL as it was registered; it is checked again. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /**
   * Whether the webhook is still the one that it is for. With false, a request that isn't written yet is not sent, and
   * one that waits for its answer is broken off.
   */
  readonly isCurrent?: () => boolean;
}

const IDLE_MS = 4_000;
const MAX_IDLE_AFTER_FAILURE = 128;
/** The longest time between two looks at what is under way. A shorter `--webhook-timeout` may be late by itself. */
const WATCH_MS = 250;
/** Nothing was sent. */
export const OUTDATED: DeliveryError = {
  code: 'outdated',
  message: 'the webhook was replaced or deleted before anything was sent',
};
/** Something may have been sent. */
const REPLACED: DeliveryError = {
  code: 'replaced',
  message: 'broken off: the webhook was replaced or deleted meanwhile',
};
const TOO_MANY: DeliveryError = { code: 'busy', message: 'too many deliveries are under way' };
const STOPPING: DeliveryError = { code: 'closed', message: 'the node is stopping' };

interface UnderWay {
  readonly delivery: Delivery;
  readonly exchange: DeliveryExchange;
  /** The connection that the exchange has taken; undefined before. */
  connection: EndpointConnection | undefined;
}

export class EndpointClient {
  readonly #destinations: DestinationCache;
  readonly #timeoutMs: number;
  readonly #maxUnderWay: number;
  readonly #pool: ConnectionPool;
  /**
   * Deliveries under way, in no order. A Map or Set was rejected: one that changes thousands of times a second costs
   * the collection of garbage dear.
   */
  readonly #underWay: UnderWay[] = [];
  #watch: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(options: EndpointClientOptions) {
    const { destinations, timeoutMs, ca } = options;
    this.#destinations = destinations;
    this.#timeoutMs = timeoutMs;
    this.#maxUnderWay = options.maxConnections;
    this.#pool = new ConnectionPool(
      {
        secureContext: createSecureContext(ca === undefined ? {} : { ca }),
        idleMs: options.idleMs ?? IDLE_MS,
      },
      {
        connections: this.#maxUnderWay,
        idleAfterFailure: options.maxIdleAfterFailure ?? MAX_IDLE_AFTER_FAILURE,
      },
    );
  }

  /** Open connections, and those being made. */
  get connections(): number {
    return this.#pool.size;
  }

  /** One attempt. Never rejects: what went wrong is in the result. */
  async deliver(delivery: Delivery): Promise<DeliveryResult> {
    if (this.#isClosed) return { error: STOPPING, durationMs: 0 };
    if (this.#underWay.length >= this.#maxUnderWay) return { error: TOO_MANY, durationMs: 0 };
    const startedAtMs = performance.now();
    const exchange = new DeliveryExchange(startedAtMs, this.#timeoutMs, delivery.isCurrent);
    const underWay: UnderWay = { delivery, exchange, connection: undefined };
    this.#underWay.push(underWay);
    this.#watch ??= setTimeout(this.#look, Math.min(this.#timeoutMs, WATCH_MS));
    void this.#send(underWay);
    const answer = await exchange.answer;
    this.#leave(underWay);
    const { connection } = underWay;
    if (connection !== undefined) this.#pool.giveBack(connection, useOf(exchange, answer));
    return { ...answer, durationMs: Math.round(performance.now() - startedAtMs) };
  }

  /** Deliveries under way end as `closed`, and so does every later one. */
  close(): void {
    this.#isClosed = true;
    for (const { exchange } of this.#underWay) exchange.fail(STOPPING);
    clearTimeout(this.#watch);
    this.#pool.close();
  }

  /** Never rejects. */
  async #send(underWay: UnderWay): Promise<void> {
    const { delivery, exchange } = underWay;
    try {
      const parsed = parseWebhookUrl(delivery.url);
      if ('refusal' in parsed) return exchange.fail(DeliveryFailure.refused(parsed.refusal));
      const destination = await this.#destinations.resolve(parsed.url.hostname);
      if (exchange.hasEnded) return;
      if ('refusal' in destination) return exchange.fail(DeliveryFailure.refused(destination.refusal));
      underWay.connection = this.#pool.take(parsed.url);
      underWay.connection.post(delivery, destination.addresses, exchange);
    } catch (error) {
      exchange.fail(DeliveryFailure.because('answer', 'it was not sent', error));
    }
  }

  #leave(underWay: UnderWay): void {
    const last = this.#underWay.pop();
    if (last !== undefined && last !== underWay) this.#underWay[this.#underWay.indexOf(underWay)] = last;
  }

  /** Ends what is late or replaced. One timer for all, as often as anything can be: two for each delivery cost more. */
  readonly #look = (): void => {
    const nowMs = performance.now();
    let nextMs = nowMs + WATCH_MS;
    for (const { exchange, delivery } of this.#underWay) {
      if (delivery.isCurrent?.() === false) exchange.fail(REPLACED);
      const endsAtMs = exchange.endWhenLate(nowMs);
      if (!exchange.hasEnded) nextMs = Math.min(nextMs, endsAtMs);
    }
    this.#watch = this.#underWay.length === 0 ? undefined : setTimeout(this.#look, Math.ceil(nextMs - nowMs));
  };
}

function useOf(exchange: DeliveryExchange, answer: Answer): 'reusable' | 'failed' | 'ended' {
  if (!exchange.isComplete) return 'ended';
  return 'status' in answer && isDelivered(answer) ? 'reusable' : 'failed';
}
