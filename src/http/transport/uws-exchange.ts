/**
 * One request on uWebSockets.js, from its head to its reply.
 *
 * The server underneath gives nothing back that was not handled: a throw from one of its callbacks ends the
 * process, its response object throws once the client has gone or the reply is complete, and its `end` buffers
 * without bound for a client that sends requests and reads no replies. So every callback is guarded, `#alive`
 * is asked before a late call, and replies go through `tryEnd`, which leaves a request pending until the
 * socket has taken the body: a further request behind it then closes the connection. An empty or HEAD reply
 * has no byte to see that by, so it closes its connection.
 */

import { BodyCollector } from './body-collector.ts';
import { BodyStream } from './body-stream.ts';
import { headerLines, illegalHeader, type ReplyHeaders } from './reply-headers.ts';
import { isBodiless, statusLine } from './reply-status.ts';
import { type ReplyBody, ReplyStream } from './reply-stream.ts';
import { type BodySource, RequestBody } from './request-body.ts';
import type { SlowBodies } from './slow-bodies.ts';
import type { BodyFailure, Exchange, ListenOptions } from './transport.ts';
import { addressText } from './uws-address.ts';
import type { UwsRequest, UwsResponse } from './uws-binding.ts';
import { UwsReplySink } from './uws-reply-sink.ts';

/** Up to here a reply surely fits the socket's buffer, so that `end` may close the connection behind it. */
const SMALL_REPLY_BYTES = 16 * 1024;

/** How long a client may take to read a reply to HEAD. */
const LINGER_MS = 1_000;

export interface UwsExchangeHost {
  readonly options: ListenOptions;
  readonly draining: boolean;
  readonly slowBodies: SlowBodies;
  /** The reply has left, or the client has. */
  exchangeEnded(): void;
}

export class UwsExchange implements Exchange, BodySource {
  readonly method: string;
  readonly path: string;
  readonly #host: UwsExchangeHost;
  readonly #response: UwsResponse;
  #request: UwsRequest | undefined;
  #body: RequestBody | undefined;
  #stream: ReplyStream | undefined;
  #address: string | undefined;
  /** Inside one of the server's callbacks for this socket, where writes are gathered anyway. */
  #corked = true;
  #paused = false;
  #finished = false;
  /** The server's response object may still be used. */
  #alive = true;
  #closesAfterReply = false;
  /** The client still sends: closed at once, its connection would be reset under the unread reply. */
  #lingers = false;

  constructor(
    host: UwsExchangeHost,
    response: UwsResponse,
    request: UwsRequest,
    method: string,
    path: string,
  ) {
    this.#host = host;
    this.#response = response;
    this.#request = request;
    this.method = method;
    this.path = path;
    response.onAborted(() => this.#abort());
  }

  get query(): string {
    return this.#head().getQuery() ?? '';
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** Hands the exchange to the program. Called once, inside the server's request callback. */
  run(): void {
    try {
      this.#host.options.onExchange(this);
    } catch (error) {
      this.fault(error);
    }
    if (!this.#finished) this.#openUnread();
    this.#request = undefined;
    this.#corked = false;
  }

  header(name: string): string | undefined {
    const value = this.#head().getHeader(name);
    return value === '' ? undefined : value;
  }

  headerValues(name: string): readonly string[] {
    const values: string[] = [];
    this.#head().forEach((sent, value) => {
      if (sent === name) values.push(value);
    });
    return values;
  }

  remoteAddress(): string {
    if (this.#address === undefined) this.#address = this.#finished ? '' : addressText(this.#response);
    return this.#address;
  }

  readBody(maxBytes: number, done: (body: Uint8Array | BodyFailure) => void): void {
    const body = this.#openBody();
    body.await(new BodyCollector(body, maxBytes, done));
  }

  streamBody(idleTimeoutMs: number): AsyncIterable<Uint8Array> {
    const body = this.#openBody();
    const stream = new BodyStream(body, this, idleTimeoutMs);
    body.consume(stream);
    return stream;
  }

  reply(status: number, headers: ReplyHeaders, body: string | Uint8Array): void {
    if (this.#finished) return;
    this.#finished = true;
    const unread = this.#unreadBody();
    if (unread === undefined) this.#send(status, headers, body);
    else unread.cancel(() => this.#send(status, headers, body));
  }

  replyStream(status: number, headers: ReplyHeaders, body: ReplyBody): void {
    const stream = this.#streamOf(status, headers, body);
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

  pause(): void {
    if (!this.#alive || this.#paused) return;
    this.#paused = true;
    this.#response.pause();
  }

  resume(): void {
    // Resuming what is not paused makes the server deaf to this socket.
    if (!this.#alive || !this.#paused) return;
    this.#paused = false;
    this.#response.resume();
  }

  keepWaiting(): void {
    // Its own limit, 16 KiB a second over ten seconds, begins anew whenever reading is resumed.
    this.pause();
    this.resume();
  }

  giveUp(): void {
    // While it is paused the client can read the reply; ten seconds after it the server closes the socket.
    this.#closesAfterReply = true;
    this.#lingers = true;
    this.pause();
  }

  closeAfterReply(): void {
    this.#closesAfterReply = true;
  }

  fault(error: unknown): void {
    const { headers, body } = this.#host.options.fallbackReply();
    this.reply(500, headers, body);
    this.#host.options.onFault(error);
  }

  close(): void {
    if (this.#alive) this.#response.close();
  }

  #head(): UwsRequest {
    if (this.#request === undefined) throw new Error('the request head is gone once onExchange has returned');
    return this.#request;
  }

  #openBody(): RequestBody {
    this.#head();
    if (this.#body !== undefined) throw new Error('a request body is read once');
    const body = new RequestBody(this, this.#host.slowBodies);
    this.#body = body;
    this.#response.onData((chunk, last) => {
      this.#corked = true;
      try {
        body.push(new Uint8Array(chunk), last);
      } catch (error) {
        this.fault(error);
      }
      this.#corked = false;
    });
    return body;
  }

  /**
   * When the client wants the connection closed, the server underneath closes it behind the reply, and a client that is
   * still sending a body loses the reply. So that is read before; an announced one that waits for leave will not come.
   */
  #openUnread(): void {
    if (this.#request === undefined || this.#body !== undefined) return;
    if (!/\bclose\b/i.test(this.header('connection') ?? '') || this.header('expect') !== undefined) return;
    const length = this.header('content-length') ?? '0';
    if (length !== '0' || this.header('transfer-encoding') !== undefined) this.#openBody();
  }

  /** What must be read, and dropped, before the reply leaves. */
  #unreadBody(): RequestBody | undefined {
    this.#openUnread();
    return this.#body?.over === false ? this.#body : undefined;
  }

  #abort(): void {
    this.#finished = true;
    this.#end();
    this.#stream?.abort();
    try {
      this.#body?.abort();
    } catch (error) {
      this.#host.options.onFault(error);
    }
  }

  #end(): void {
    this.#alive = false;
    this.#host.exchangeEnded();
  }

  #streamOf(status: number, headers: ReplyHeaders, body: ReplyBody): ReplyStream {
    const sink = new UwsReplySink(this.#response, body.lengthBytes, {
      cork: (write) => this.#response.cork(write),
      writeHead: () => {
        this.#writeHead(status, headers);
        if (this.#closes()) this.#response.writeHeader('connection', 'close');
      },
      refuse: () => {
        const fallback = this.#host.options.fallbackReply();
        this.#send(500, fallback.headers, fallback.body);
      },
      keepWaiting: () => this.keepWaiting(),
      close: () => this.close(),
      ended: () => this.#end(),
    });
    return new ReplyStream(body, sink, this.#host.options.onFault);
  }

  #sendStream(
    status: number,
    headers: ReplyHeaders,
    lengthBytes: number | undefined,
    stream: ReplyStream,
  ): void {
    if (illegalHeader(headers) !== undefined || isBodiless(status) || lengthBytes === 0) {
      stream.abort();
      this.#send(status, headers, '');
    } else if (this.method === 'HEAD') {
      stream.abort();
      this.#response.cork(() => {
        this.#writeHead(status, headers);
        if (lengthBytes === undefined) this.#endHeadOnly();
        else this.#writeHeadOnly(lengthBytes);
      });
    } else {
      void stream.run();
    }
  }

  #send(status: number, headers: ReplyHeaders, body: string | Uint8Array): void {
    if (!this.#alive) return;
    const illegal = illegalHeader(headers);
    if (illegal !== undefined) {
      const fallback = this.#host.options.fallbackReply();
      this.#cork(500, illegalHeader(fallback.headers) === undefined ? fallback.headers : [], fallback.body);
      this.#host.options.onFault(new TypeError(`reply header ${illegal} is not printable ASCII`));
    } else {
      this.#cork(status, headers, body);
    }
  }

  #cork(status: number, headers: ReplyHeaders, body: string | Uint8Array): void {
    if (this.#corked) this.#write(status, headers, body);
    else this.#response.cork(() => this.#write(status, headers, body));
  }

  #closes(): boolean {
    return this.#host.draining || this.#closesAfterReply;
  }

  #writeHead(status: number, headers: ReplyHeaders): void {
    this.#response.writeStatus(statusLine(status) + headerLines(headers));
  }

  #write(status: number, headers: ReplyHeaders, body: string | Uint8Array): void {
    const response = this.#response;
    this.#writeHead(status, headers);
    if (isBodiless(status)) {
      this.#endHeadOnly();
    } else if (body.length === 0) {
      response.pause();
      response.end(body, true);
      this.#end();
    } else if (this.method === 'HEAD') {
      this.#writeHeadOnly(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength);
    } else if (this.#closes() && !this.#lingers && body.length <= SMALL_REPLY_BYTES) {
      response.end(body, true);
      this.#end();
    } else {
      if (this.#closes()) response.writeHeader('connection', 'close');
      this.#writeBody(body);
    }
  }

  #writeBody(body: string | Uint8Array): void {
    const [, done] = this.#response.tryEnd(body);
    if (done) {
      this.#end();
      return;
    }
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    this.#response.onWritable((offset) => {
      const [ok, complete] = this.#response.tryEnd(bytes.subarray(offset), bytes.byteLength);
      if (complete) this.#end();
      return ok;
    });
  }

  /** Should the client not close, the server does after ten seconds. */
  #endHeadOnly(): void {
    this.#response.writeHeader('connection', 'close');
    this.#response.pause();
    this.#response.endWithoutBody();
    this.#end();
  }

  /**
   * Announces a body of that length and closes instead of sending it: `endWithoutBody(length)` never completes.
   * Not at once, since the client may still be sending a body, and the reset would take the reply with it.
   */
  #writeHeadOnly(bodyBytes: number): void {
    this.#response.writeHeader('connection', 'close');
    this.#response.tryEnd('', bodyBytes);
    setTimeout(() => this.close(), LINGER_MS);
  }
}
