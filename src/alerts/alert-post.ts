/**
 * Posts alerts to one endpoint of the operator's (`--alert-url`), grouped, at most one request a second and one at a
 * time. Each URL has one of these, so an endpoint that is dead or slow delays no other.
 *
 * Failed alerts are sent with the next request; while the endpoint fails, the interval doubles. Only the newest alert
 * of a state waits, and those of the node are sent before those of products, so an endpoint that was dead for long
 * learns which states go on. Other alerts wait up to a bounded number for each class, the rest is counted in the next
 * body: that costs bounded memory, delays no answer, and no flood of one class takes the other's room. Alerts that wait
 * when the node stops are in the log only. Rejected: a queue on disk, which no promise needs.
 *
 * With a secret, posts are signed as webhooks are (SPEC.md §6), under the same headers, so that receivers can check them
 * with what they have: `verifyWebhook`, too, which wants `eventId` and `type` in the body.
 */
import { randomUUID } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import type { Logger } from 'pino';
import { Agent, request } from 'undici';
import { signatureOf } from '../outgoing/signature.ts';
import { pauseAfter } from '../shared/retry.ts';
import { ALERT_CLASSES, type Alert, type AlertClass, STATE_ERRORS, type StateError } from './alert.ts';

/** Alerts of one class in one body, and alerts of it, but for states, that wait for the next one. */
const MAX_WAITING = 200;
/** States that wait: an endpoint that is dead for hours while thousands of products come and go. */
const MAX_STATES = 10_000;
const REPLY_MAX_BYTES = 64 * 1024;
const EVENT_TYPE = 'alerts';

export interface AlertPostOptions {
  readonly url: string;
  /** The only class that is posted; undefined for all. */
  readonly class?: AlertClass | undefined;
  /** Undefined when posts aren't signed. */
  readonly secret?: string | undefined;
  /** For the header `User-Agent`. */
  readonly version: string;
  readonly log: Logger;
  /** Shared by all, because of what it costs. */
  readonly lookup: LookupFunction;
  /** Default 1 s. */
  readonly intervalMs?: number;
  /** While posts fail; default 1 min. */
  readonly maxIntervalMs?: number;
  /** How long the endpoint has to answer; default 5 s. */
  readonly timeoutMs?: number;
}

/** The body of a post (docs/settings.md). */
interface AlertBody {
  readonly eventId: string;
  readonly type: typeof EVENT_TYPE;
  readonly service: 'purser';
  readonly alerts: readonly Alert[];
  readonly omitted: number;
  /** How many states go on now, by kind. */
  readonly firing: Partial<Record<StateError, number>>;
}

interface Waiting {
  readonly events: Record<AlertClass, Alert[]>;
  /** The newest of each, by its kind and what it concerns. */
  readonly states: Map<string, Alert>;
}

export class AlertPost {
  sent = 0;
  failed = 0;
  dropped = 0;
  readonly #options: AlertPostOptions;
  readonly #agent: Agent;
  readonly #stop = new AbortController();
  /** The number of states that go on, by kind, for each post. */
  firing: () => Partial<Record<StateError, number>> = () => ({});
  #events: Record<AlertClass, Alert[]> = { operations: [], buyer: [] };
  readonly #states = new Map<string, Alert>();
  /** Also without an alert. */
  #mustPost = false;
  /** Dropped since the last post that arrived. */
  #omitted = 0;
  #timer: NodeJS.Timeout | undefined;
  #posting: Promise<void> | undefined;
  #failuresInARow = 0;
  #nextAtMs = 0;

  constructor(options: AlertPostOptions) {
    this.#options = options;
    this.#agent = new Agent({ connections: 1, connect: { lookup: options.lookup } });
  }

  offer(alert: Alert): void {
    if (!this.#takes(alert.class)) return;
    const key = keyOf(alert);
    const events = this.#events[alert.class];
    const isFull =
      key === undefined
        ? events.length >= MAX_WAITING
        : this.#states.size >= MAX_STATES && !this.#states.has(key);
    if (isFull) return this.leaveOut(alert.class, 1);
    if (key === undefined) events.push(alert);
    else this.#states.set(key, alert);
    this.#schedule();
  }

  /** Tells how many states go on, also when there is nothing else to tell. */
  tellFiring(): void {
    if (!this.#takes('operations')) return;
    this.#mustPost = true;
    this.#schedule();
  }

  /** Counts alerts that are not posted themselves; the next post says how many. */
  leaveOut(alertClass: AlertClass, count: number): void {
    if (!this.#takes(alertClass)) return;
    this.#omitted += count;
    this.dropped += count;
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#posting;
    await this.#agent.destroy();
  }

  #takes(alertClass: AlertClass): boolean {
    return this.#options.class === undefined || this.#options.class === alertClass;
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#posting !== undefined || this.#stop.signal.aborted) return;
    const delayMs = Math.max(0, this.#nextAtMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // Timers count from the start of the event loop's tick that set them, so this one may be early.
      if (performance.now() < this.#nextAtMs) return this.#schedule();
      this.#posting = this.#post().finally(() => {
        this.#posting = undefined;
        const isAnyLeft =
          this.#states.size > 0 || ALERT_CLASSES.some((each) => this.#events[each].length > 0);
        if (isAnyLeft || this.#mustPost) this.#schedule();
      });
    }, delayMs).unref();
  }

  /** Never rejects. */
  async #post(): Promise<void> {
    const { intervalMs = 1_000, maxIntervalMs = 60_000, url, log } = this.#options;
    const taken = this.#take();
    const omitted = this.#omitted;
    this.#omitted = 0;
    const mustPost = this.#mustPost;
    this.#mustPost = false;
    const startedMs = performance.now();
    const eventId = `evt_${randomUUID().replaceAll('-', '')}`;
    try {
      const alerts = [...taken.states.values(), ...ALERT_CLASSES.flatMap((each) => taken.events[each])];
      const firing = this.firing();
      await this.#send({ eventId, type: EVENT_TYPE, service: 'purser', alerts, omitted, firing });
      this.sent += 1;
      this.#failuresInARow = 0;
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#takeBack(taken, omitted);
      this.#mustPost ||= mustPost;
      this.failed += 1;
      this.#failuresInARow += 1;
      // Without its path, in which many services have a token.
      const { origin } = new URL(url);
      log.error(
        { err: error, origin, eventId },
        'posting alerts failed; they are sent again with the next ones',
      );
    }
    this.#nextAtMs = startedMs + pauseAfter(this.#failuresInARow + 1, intervalMs, maxIntervalMs);
  }

  /** All events, and the most urgent states. */
  #take(): Waiting {
    const events = this.#events;
    this.#events = { operations: [], buyer: [] };
    const urgent = [...this.#states].toSorted(([, one], [, other]) => rankOf(one) - rankOf(other));
    const states = new Map(urgent.slice(0, MAX_WAITING));
    for (const key of states.keys()) this.#states.delete(key);
    return { events, states };
  }

  #takeBack({ events, states }: Waiting, omitted: number): void {
    this.#omitted += omitted;
    for (const [key, alert] of states) if (!this.#states.has(key)) this.#states.set(key, alert);
    for (const each of ALERT_CLASSES) {
      const all = [...events[each], ...this.#events[each]];
      this.#events[each] = all.slice(0, MAX_WAITING);
      const beyond = all.length - this.#events[each].length;
      this.#omitted += beyond;
      this.dropped += beyond;
    }
  }

  async #send(content: AlertBody): Promise<void> {
    const { url, timeoutMs = 5_000 } = this.#options;
    const bytes = Buffer.from(JSON.stringify(content));
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: this.#headers(content.eventId, bytes),
      body: bytes,
      dispatcher: this.#agent,
      signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(timeoutMs)]),
    });
    await body.dump({ limit: REPLY_MAX_BYTES });
    if (statusCode < 200 || statusCode > 299) throw new Error(`the endpoint answered ${statusCode}`);
  }

  #headers(eventId: string, body: Uint8Array): Record<string, string> {
    const { version, secret } = this.#options;
    return {
      'content-type': 'application/json',
      'user-agent': `purser/${version}`,
      'x-request-id': eventId,
      'x-service-event': EVENT_TYPE,
      'x-service-delivery': eventId,
      ...(secret === undefined
        ? {}
        : { 'x-service-signature': signatureOf(secret, Date.now(), eventId, body) }),
    };
  }
}

/** The key of a state and its subject; undefined for other alerts. */
function keyOf(alert: Alert): string | undefined {
  if (!('state' in alert)) return undefined;
  const { productId, supplierId } = alert as { readonly productId?: number; readonly supplierId?: number };
  return `${alert.error} ${productId ?? supplierId ?? 0}`;
}

function rankOf({ error }: Alert): number {
  return STATE_ERRORS.indexOf(error as StateError);
}
