/**
 * Posts alerts to the operator's endpoint (`--alert-url`), grouped, at most one request a second and one at a time.
 *
 * Failed alerts are sent with the next request; while the endpoint fails, the interval doubles. A bounded number waits,
 * the others are counted in the next body: a dead or slow endpoint costs bounded memory and delays no answer. Alerts that
 * wait when the node stops are in the log only. Rejected: a queue on disk, which no promise needs.
 */
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Logger } from 'pino';
import { Agent, request } from 'undici';
import type { Alert } from './alert.ts';

/** Alerts in one body, and alerts that wait for the next one. */
const MAX_WAITING = 200;
const REPLY_MAX_BYTES = 64 * 1024;

export interface AlertPostOptions {
  readonly url: string;
  /** For the header `User-Agent`. */
  readonly version: string;
  readonly log: Logger;
  /** Default 1 s. */
  readonly intervalMs?: number;
  /** While posts fail; default 1 min. */
  readonly maxIntervalMs?: number;
  /** How long the endpoint has to answer; default 5 s. */
  readonly timeoutMs?: number;
}

/** What is sent (docs/operator-guide.md). */
interface AlertBody {
  readonly service: 'purser';
  readonly alerts: readonly Alert[];
  readonly omitted: number;
}

export class AlertPost {
  sent = 0;
  failed = 0;
  dropped = 0;
  readonly #options: Required<AlertPostOptions>;
  readonly #agent: Agent;
  readonly #stop = new AbortController();
  #waiting: Alert[] = [];
  /** Dropped since the last post that arrived. */
  #omitted = 0;
  #timer: NodeJS.Timeout | undefined;
  #posting: Promise<void> | undefined;
  #failuresInARow = 0;
  #nextAtMs = 0;

  constructor(options: AlertPostOptions) {
    this.#options = { intervalMs: 1_000, maxIntervalMs: 60_000, timeoutMs: 5_000, ...options };
    this.#agent = new Agent({ connections: 1, connect: { lookup: oneLookupAtATime() } });
  }

  offer(alert: Alert): void {
    if (this.#waiting.length >= MAX_WAITING) return this.leaveOut(1);
    this.#waiting.push(alert);
    this.#schedule();
  }

  /** Counts alerts that are not posted themselves; the next post says how many. */
  leaveOut(count: number): void {
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

  #schedule(): void {
    if (this.#timer !== undefined || this.#posting !== undefined || this.#stop.signal.aborted) return;
    const delayMs = Math.max(0, this.#nextAtMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // Timers count from the start of the event loop's turn that set them, so this one may be early.
      if (performance.now() < this.#nextAtMs) return this.#schedule();
      this.#posting = this.#post().finally(() => {
        this.#posting = undefined;
        if (this.#waiting.length > 0) this.#schedule();
      });
    }, delayMs).unref();
  }

  /** Never rejects. */
  async #post(): Promise<void> {
    const { intervalMs, maxIntervalMs, log } = this.#options;
    const alerts = this.#waiting;
    const omitted = this.#omitted;
    this.#waiting = [];
    this.#omitted = 0;
    const startedMs = performance.now();
    try {
      await this.#send({ service: 'purser', alerts, omitted });
      this.sent += 1;
      this.#failuresInARow = 0;
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#takeBack(alerts, omitted);
      this.failed += 1;
      this.#failuresInARow += 1;
      log.error({ err: error }, 'posting alerts failed; they are sent again with the next ones');
    }
    this.#nextAtMs = startedMs + Math.min(intervalMs * 2 ** this.#failuresInARow, maxIntervalMs);
  }

  #takeBack(alerts: readonly Alert[], omitted: number): void {
    const all = [...alerts, ...this.#waiting];
    this.#waiting = all.slice(0, MAX_WAITING);
    this.#omitted += omitted + all.length - this.#waiting.length;
    this.dropped += all.length - this.#waiting.length;
  }

  async #send(content: AlertBody): Promise<void> {
    const { url, version, timeoutMs } = this.#options;
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': `purser/${version}` },
      body: JSON.stringify(content),
      dispatcher: this.#agent,
      signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(timeoutMs)]),
    });
    await body.dump({ limit: REPLY_MAX_BYTES });
    if (statusCode < 200 || statusCode > 299) throw new Error(`the endpoint answered ${statusCode}`);
  }
}

/**
 * A look-up blocks a thread of the pool that the journal's commits need, and can't be cancelled: while one is in
 * progress, a second one fails at once. The system's resolver and not c-ares, because the operator's endpoint may be
 * named in the hosts file only.
 */
function oneLookupAtATime(): LookupFunction {
  let isLookingUp = false;
  return (host, options, done) => {
    if (isLookingUp) {
      process.nextTick(done, new Error(`the look-up of ${host} is still in progress`), '');
      return;
    }
    isLookingUp = true;
    lookup(host, options, (error, address, family) => {
      isLookingUp = false;
      done(error, address, family);
    });
  };
}
