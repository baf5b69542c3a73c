/**
 * One request on node:http, from its head to its reply.
 *
 * It behaves as on uWebSockets.js, down to the limits: the same ten seconds for a slow body or a slow
 * reader, the same first value of a repeated header. The one addition is that a body nobody asked for is
 * dropped under the same bound as one that was too large, since node would read it without end.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { BodyCollector } from './body-collector.ts';
import { BodyStream } from './body-stream.ts';
import { NodeReplySink } from './node-reply-sink.ts';
import { flatHeaders, illegalHeader, type ReplyHeaders } from './reply-headers.ts';
import { isBodiless } from './reply-status.ts';
import { type ReplyBody, ReplyStream } from './reply-stream.ts';
import { type BodySource, RequestBody } from './request-body.ts';
import type { SlowBodies } from './slow-bodies.ts';
import type { BodyFailure, Exchange, ListenOptions } from './transport.ts';

/** How long a client may take for its request's head, or for reading on in its reply. */
export const SLOW_CLIENT_MS = 10_000;

/** How long a client that still sends may read the reply before its connection is closed. */
const LINGER_MS = 2_000;

const NO_BYTES = new Uint8Array(0);

export interface NodeExchangeHost {
  readonly options: ListenOptions;
  readonly draining: boolean;
  readonly slowBodies: SlowBodies;
}

export class NodeExchange implements Exchange, BodySource {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #host: NodeExchangeHost;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  #body: RequestBody | undefined;
  #stream: ReplyStream | undefined;
  #address: string | undefined;
  #headOpen = true;
  #finished = false;
  #closesAfterReply = false;

  constructor(host: NodeExchangeHost, request: IncomingMessage, response: ServerResponse) {
    this.#host = host;
    this.#request = request;
    this.#response = response;
    this.#socket = request.socket;
    const url = request.url ?? '';
    const queryAt = url.indexOf('?');
    this.method = request.method ?? '';
    this.path = queryAt === -1 ? url : url.slice(0, queryAt);
    this.query = queryAt === -1 ? '' : url.slice(queryAt + 1);
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** Hands the exchange to the program. Called once, inside the server's request event. */
  run(): void {
    try {
      this.#host.options.onExchange(this);
    } catch (error) {
      this.fault(error);
    }
    this.#headOpen = false;
  }

  header(name: string): string | undefined {
    this.#requireHead();
    const value = this.#request.headers[name];
    if (value === undefined || value === '') return undefined;
    // Taking all headers apart is a twentieth of a request: only for one that may be several, joined.
    if (typeof value === 'string' && !value.includes(',') && name !== 'cookie') return value;
    return this.#request.headersDistinct[name]?.[0] || undefined;
  }

  headerValues(name: string): readonly string[] {
    this.#requireHead();
    return this.#request.headersDistinct[name] ?? [];
  }

  remoteAddress(): string {
    if (this.#address === undefined) {
      const address = this.#finished ? '' : (this.#socket.remoteAddress ?? '');
      this.#address = address.replace(/^::ffff:(?=[\d.]+$)/i, '');
    }
    return this.#address;
  }

  readBody(maxBytes: number, done: (body: Uint8Array | BodyFailure) => void): void {
    this.#requireHead();
    const body = this.#openBody();
    body.await(new BodyCollector(body, maxBytes, done));
  }

  streamBody(idleTimeoutMs: number): AsyncIterable<Uint8Array> {
    this.#requireHead();
    const body = this.#openBody();
    const stream = new BodyStream(body, this, idleTimeoutMs);
    body.consume(stream);
    return stream;
  }

  reply(status: number, headers: ReplyHeaders, body: string | Uint8Array): void {
    if (this.#finished) return;
    this.#finished = true;
    if (this.#body === undefined && announcesBody(this.#request)) this.#openBody();
    if (this.#body === undefined || this.#body.over) this.#send(status, headers, body);
    else this.#body.cancel(() => this.#send(status, headers, body));
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
    if (this.#body === undefined && announcesBody(this.#request)) this.#openBody();
    if (this.#body === undefined || this.#body.over) send();
    else this.#body.cancel(send);
  }

  pause(): void {
    this.#request.pause();
  }

  resume(): void {
    this.#request.resume();
  }

  keepWaiting(): void {
    // node has no limit of its own here.
  }

  giveUp(): void {
    this.#request.pause();
    this.closeAfterReply();
  }

  closeAfterReply(): void {
    this.#closesAfterReply = true;
    // What node calls after a reply that closes. Its own would reset the connection under the unread reply.
    this.#socket.destroySoon = () => endSlowly(this.#socket);
  }

  /** Somebody else answers this request: its rest can't be read. */
  abandon(): void {
    this.#finished = true;
    this.#stream?.abort();
    try {
      this.#body?.abort();
    } catch (error) {
      this.fault(error);
    }
  }

  /** The reply has left, or the client has. */
  closed(): void {
    if (!this.#response.writableFinished) this.abandon();
  }

  fault(error: unknown): void {
    const { headers, body } = this.#host.options.fallbackReply();
    this.reply(500, headers, body);
    this.#host.options.onFault(error);
  }

  close(): void {
    this.#socket.destroy();
  }

  #requireHead(): void {
    if (!this.#headOpen) throw new Error('the request head is gone once onExchange has returned');
  }

  #openBody(): RequestBody {
    if (this.#body !== undefined) throw new Error('a request body is read once');
    const body = new RequestBody(this, this.#host.slowBodies);
    this.#body = body;
    // The last chunk is known by the length, where there is one: waiting for the end would mean to copy the only one.
    let bytesLeft = Number(this.#request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    this.#request.on('data', (chunk: Buffer) => {
      bytesLeft -= chunk.byteLength;
      this.#push(body, chunk, bytesLeft === 0);
    });
    this.#request.on('end', () => this.#push(body, NO_BYTES, true));
    return body;
  }

  #push(body: RequestBody, chunk: Uint8Array, last: boolean): void {
    try {
      body.push(chunk, last);
    } catch (error) {
      this.fault(error);
    }
  }

  #send(status: number, headers: ReplyHeaders, body: string | Uint8Array): void {
    const illegal = illegalHeader(headers);
    if (illegal !== undefined) {
      const fallback = this.#host.options.fallbackReply();
      this.#write(500, illegalHeader(fallback.headers) === undefined ? fallback.headers : [], fallback.body);
      this.#host.options.onFault(new TypeError(`reply header ${illegal} is not printable ASCII`));
    } else {
      this.#write(status, headers, body);
    }
  }

  #write(status: number, headers: ReplyHeaders, body: string | Uint8Array): void {
    const lengthBytes = Buffer.byteLength(body);
    this.#writeHead(status, headers, lengthBytes);
    // Text of ASCII alone is the same bytes in either encoding, and written faster in this one.
    if (typeof body === 'string' && lengthBytes === body.length) this.#response.end(body, 'latin1');
    else this.#response.end(body);
    this.#limitReading();
  }

  /** Mostly the system has taken the whole reply by now, and a timer would cost more than writing it did. */
  #limitReading(): void {
    if (this.#socket.writableLength > 0) this.#socket.setTimeout(SLOW_CLIENT_MS);
  }

  #writeHead(status: number, headers: ReplyHeaders, lengthBytes: number | undefined): void {
    const flat = flatHeaders(headers);
    if (!isBodiless(status) && lengthBytes !== undefined) flat.push('content-length', String(lengthBytes));
    if (this.#host.draining || this.#closesAfterReply) flat.push('connection', 'close');
    this.#response.writeHead(status, flat);
  }

  #streamOf(status: number, headers: ReplyHeaders, body: ReplyBody): ReplyStream {
    const sink = new NodeReplySink(this.#response, {
      writeHead: () => this.#writeHead(status, headers, body.lengthBytes),
      refuse: () => {
        const fallback = this.#host.options.fallbackReply();
        this.#send(500, fallback.headers, fallback.body);
      },
      close: () => this.close(),
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
      this.#writeHead(status, headers, lengthBytes);
      this.#response.end();
      this.#limitReading();
    } else {
      void stream.run();
    }
  }
}

function announcesBody(request: IncomingMessage): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** Closes a connection when its client, which may still send, can have read what was written. */
export function endSlowly(socket: Duplex): void {
  socket.end();
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
}
