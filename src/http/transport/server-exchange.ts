/**
 * One request and its reply, as far as both HTTP servers have it in common. `UwsExchange` and `NodeExchange` add how
 * their server reads and writes.
 *
 * Invariant: one reply leaves, the first; nothing is written after the client has gone; a reply waits until the rest of
 * the request body was read and dropped (`RequestBody`); a throw from above becomes the fallback reply; every reply is
 * counted with the status that leaves, and so is a client that leaves before it.
 *
 * A base class and not a part that each server's exchange holds: every purchase would allocate one object more.
 */
import { type RequestMeter, UNROUTED } from '../../metrics/request-meter.ts';
import { illegalHeader, type ReplyHeaders } from './reply-headers.ts';
import { isBodiless } from './reply-status.ts';
import { type ReplyBody, type ReplySink, ReplyStream } from './reply-stream.ts';
import { type BodySource, RequestBody } from './request-body.ts';
import type { SlowBodies } from './slow-bodies.ts';
import type { BodyFailure, Exchange, ListenOptions } from './transport.ts';

/** The listener, as its exchanges see it. */
export interface ExchangeHost {
  readonly options: Omit<ListenOptions, 'onExchange'>;
  readonly draining: boolean;
  readonly slowBodies: SlowBodies;
}

export abstract class ServerExchange<Host extends ExchangeHost> implements Exchange, BodySource {
  readonly method: string;
  readonly path: string;
  requestId = '';
  accountId = 0;
  operator = '';
  clientAddress = '';
  abstract readonly query: string;
  meter: RequestMeter | undefined;
  protected readonly host: Host;
  /** The time of the request's beginning, by the clock of `performance`, which is read once more for the end. */
  readonly #startedMs = performance.now();
  #body: RequestBody | undefined;
  #stream: ReplyStream | undefined;
  #address: string | undefined;
  #headIsOpen = true;
  #finished = false;
  #closesAfterReply = false;
  #isCounted = false;
  #isAnswered = false;

  constructor(host: Host, method: string, path: string) {
    this.host = host;
    this.meter = host.options.meter;
    this.method = method;
    this.path = path;
  }

  abstract header(name: string): string | undefined;
  abstract headerValues(name: string): readonly string[];
  abstract resume(): void;
  abstract keepWaiting(): void;
  abstract giveUp(): void;
  abstract close(): void;

  /** Calls `onExchange`. */
  protected abstract handOver(): void;
  /** The client's address, asked for once, while the client is there. */
  protected abstract addressNow(): string;
  /** Has the server push the body's chunks into `body`. */
  protected abstract startReading(body: RequestBody): void;
  /** Whether a body that nobody asked for must be read before the reply. Asked while the head can be read. */
  protected abstract mustReadUnasked(): boolean;
  /** Sends a whole reply, without the body where the method or the status has none. */
  protected abstract write(status: number, headers: ReplyHeaders, body: string | Uint8Array): void;
  /** Answers HEAD with the head of a streamed reply. */
  protected abstract writeHeadOnly(
    status: number,
    headers: ReplyHeaders,
    lengthBytes: number | undefined,
  ): void;
  protected abstract openSink(
    status: number,
    headers: ReplyHeaders,
    lengthBytes: number | undefined,
  ): ReplySink;

  get route(): string {
    const route = this.meter?.labels.route ?? UNROUTED;
    return route === UNROUTED ? '' : route;
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** Whether the connection closes with this reply. */
  protected get closes(): boolean {
    return this.#closesAfterReply || this.host.draining;
  }

  /** Hands the exchange to the program. Called once, inside the server's callback for a request. */
  run(): void {
    try {
      this.handOver();
    } catch (error) {
      this.fault(error);
    }
    if (!this.#finished) this.#readUnasked();
    this.#headIsOpen = false;
  }

  remoteAddress(): string {
    this.#address ??= this.#finished ? '' : this.addressNow();
    return this.#address;
  }

  readBody(maxBytes: number, done: (body: Uint8Array | BodyFailure) => void): void {
    this.openBody().collect(maxBytes, done);
  }

  reply(status: number, headers: ReplyHeaders, body: string | Uint8Array): void {
    if (this.#finished) return;
    this.#finished = true;
    const unread = this.#unreadBody();
    if (unread === undefined) this.#send(status, headers, body);
    else unread.cancel(() => this.#send(status, headers, body));
  }

  replyStream(status: number, headers: ReplyHeaders, body: ReplyBody): void {
    const sink = this.openSink(status, headers, body.lengthBytes);
    const stream = new ReplyStream(body, sink, this, status);
    if (this.#finished) {
      stream.abort();
      return;
    }
    this.#finished = true;
    this.#stream = stream;
    const send = () => this.#sendStream(status, headers, body.lengthBytes, stream);
    const unread = this.#unreadBody();
    if (unread === undefined) send();
    else unread.cancel(send);
  }

  closeAfterReply(): void {
    this.#closesAfterReply = true;
  }

  /** The client has gone, or the server answers by itself with this status: the rest of the request can't be read. */
  abandon(status = 0, bytes = 0): void {
    // Also while a reply that was given waits for the rest of the body.
    if (!this.#isCounted) {
      if (status === 0) this.meter?.left();
      else this.#count(status, performance.now());
    }
    this.#isCounted = true;
    this.#finished = true;
    if (this.#stream === undefined) this.ended(status, bytes);
    else this.#stream.abort();
    try {
      this.#body?.abort();
    } catch (error) {
      this.onFault(error);
    }
  }

  fault(error: unknown): void {
    const { headers, body } = this.host.options.fallbackReply(this.requestId);
    this.reply(500, headers, body);
    this.onFault(error);
  }

  /** The fallback reply in place of a streamed one of which nothing was sent; its request counts with both. */
  refuse(): void {
    const { headers, body } = this.host.options.fallbackReply(this.requestId);
    this.#send(500, headers, body);
  }

  onFault(error: unknown): void {
    this.host.options.onFault(error, this);
  }

  /** The answer was handed over, or there is none: status 0. Only the first call counts. */
  ended(status: number, bytes: number, nowMs?: number): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    const { onEnded } = this.host.options;
    if (onEnded === undefined) return;
    const startedMs = this.#startedMs;
    onEnded(this, status, bytes, startedMs, (nowMs ?? performance.now()) - startedMs);
  }

  protected requireHead(): void {
    if (!this.#headIsOpen) throw new Error('the request head is gone once onExchange has returned');
  }

  /** Called once. */
  protected openBody(): RequestBody {
    this.requireHead();
    if (this.#body !== undefined) throw new Error('a request body is read once');
    const body = new RequestBody(this, this.host.slowBodies);
    this.#body = body;
    this.startReading(body);
    return body;
  }

  /** Takes a chunk from the server's callback. */
  protected push(body: RequestBody, chunk: Uint8Array, last: boolean): void {
    try {
      body.push(chunk, last);
    } catch (error) {
      this.fault(error);
    }
  }

  #readUnasked(): void {
    if (this.#headIsOpen && this.#body === undefined && this.mustReadUnasked()) this.openBody();
  }

  /** The body that must be read, and dropped, before the reply leaves. */
  #unreadBody(): RequestBody | undefined {
    this.#readUnasked();
    return this.#body?.over === false ? this.#body : undefined;
  }

  #send(status: number, headers: ReplyHeaders, body: string | Uint8Array): void {
    const instead = this.host.options.insteadOf?.(this);
    if (instead === undefined) this.#sendNow(status, headers, body);
    else this.#sendNow(instead.status, instead.headers, instead.body);
  }

  #sendNow(status: number, headers: ReplyHeaders, body: string | Uint8Array): void {
    const nowMs = performance.now();
    const illegal = illegalHeader(headers);
    if (illegal === undefined) {
      this.#count(status, nowMs);
      this.write(status, headers, body);
      if (this.host.options.onEnded !== undefined) this.ended(status, this.#sentBytes(body), nowMs);
      return;
    }
    const fallback = this.host.options.fallbackReply(this.requestId);
    this.#count(500, nowMs);
    this.write(500, illegalHeader(fallback.headers) === undefined ? fallback.headers : [], fallback.body);
    this.ended(500, this.#sentBytes(fallback.body), nowMs);
    this.onFault(new TypeError(`reply header ${illegal} is not printable ASCII`));
  }

  #sendStream(
    status: number,
    headers: ReplyHeaders,
    lengthBytes: number | undefined,
    stream: ReplyStream,
  ): void {
    const hasNoBytes = isBodiless(status) || lengthBytes === 0;
    const instead = this.host.options.insteadOf?.(this);
    if (instead !== undefined) {
      this.#sendNow(instead.status, instead.headers, instead.body);
      stream.abort();
      return;
    }
    if (!hasNoBytes && this.method !== 'HEAD' && illegalHeader(headers) === undefined) {
      this.#count(status, performance.now());
      void stream.run();
      return;
    }
    if (hasNoBytes || illegalHeader(headers) !== undefined) this.#send(status, headers, '');
    else this.#sendHead(status, headers, lengthBytes);
    this.ended(status, 0);
    stream.abort();
  }

  #sendHead(status: number, headers: ReplyHeaders, lengthBytes: number | undefined): void {
    this.#count(status, performance.now());
    this.writeHeadOnly(status, headers, lengthBytes);
  }

  #sentBytes(body: string | Uint8Array): number {
    return this.method === 'HEAD' ? 0 : Buffer.byteLength(body);
  }

  #count(status: number, nowMs: number): void {
    this.#isCounted = true;
    this.meter?.answered(status, nowMs - this.#startedMs);
  }
}
