/**
 * One request on node:http, from its head to its reply.
 *
 * The exchange behaves as on uWebSockets.js, down to the limits: the same ten seconds for a slow body or a slow reader,
 * the same first value of a repeated header. The one addition is that a body nobody asked for is dropped under the same
 * bound as one that was too large, since node would read it without end.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { bodyStream } from './body-stream.ts';
import { flatHeaders, type ReplyHeaders } from './reply-headers.ts';
import { isBodiless } from './reply-status.ts';
import type { ReplySink } from './reply-stream.ts';
import type { RequestBody } from './request-body.ts';
import { type ExchangeHost, ServerExchange } from './server-exchange.ts';
import type { ListenOptions, StreamingExchange } from './transport.ts';

/** How long a client may take for its request's head, or for reading on in its reply. */
export const SLOW_CLIENT_MS = 10_000;

/** How long a client that still sends may read the reply before its connection is closed. */
const LINGER_MS = 2_000;

const NO_BYTES = new Uint8Array(0);

export interface NodeExchangeHost extends ExchangeHost {
  readonly options: ListenOptions<StreamingExchange>;
  /** The headers with those that every reply of the listener has. */
  completed(headers: ReplyHeaders): ReplyHeaders;
}

export class NodeExchange extends ServerExchange<NodeExchangeHost> implements StreamingExchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  readonly query: string;

  constructor(host: NodeExchangeHost, request: IncomingMessage, response: ServerResponse) {
    const url = request.url ?? '';
    const queryAt = url.indexOf('?');
    super(host, request.method ?? '', queryAt === -1 ? url : url.slice(0, queryAt));
    this.query = queryAt === -1 ? '' : url.slice(queryAt + 1);
    this.#request = request;
    this.#response = response;
    this.#socket = request.socket;
  }

  override header(name: string): string | undefined {
    this.requireHead();
    const value = this.#request.headers[name];
    if (value === undefined || value === '') return undefined;
    // Taking all headers apart is a twentieth of a request: only for one that may be several, joined.
    if (typeof value === 'string' && !value.includes(',') && name !== 'cookie') return value;
    return this.#request.headersDistinct[name]?.[0] || undefined;
  }

  override headerValues(name: string): readonly string[] {
    this.requireHead();
    return this.#request.headersDistinct[name] ?? [];
  }

  streamBody(idleTimeoutMs: number): AsyncIterable<Uint8Array> {
    return bodyStream(this.#request, this.openBody(), idleTimeoutMs);
  }

  override resume(): void {
    this.#request.resume();
  }

  override keepWaiting(): void {
    // node has no limit of its own here.
  }

  override giveUp(): void {
    this.#request.pause();
    this.closeAfterReply();
  }

  override closeAfterReply(): void {
    super.closeAfterReply();
    // What node calls after a reply that closes. Its own would reset the connection under the unread reply.
    this.#socket.destroySoon = () => endSlowly(this.#socket);
  }

  /** The reply has left, or the client has. */
  closed(): void {
    if (!this.#response.writableFinished) this.abandon();
  }

  override close(): void {
    this.#socket.destroy();
  }

  protected override handOver(): void {
    this.host.options.onExchange(this);
  }

  protected override addressNow(): string {
    return addressOf(this.#socket);
  }

  protected override startReading(body: RequestBody): void {
    // The last chunk is known by the length, where there is one: waiting for the end would mean to copy the only one.
    let bytesLeft = Number(this.#request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    this.#request.on('data', (chunk: Buffer) => {
      bytesLeft -= chunk.byteLength;
      this.push(body, chunk, bytesLeft === 0);
    });
    this.#request.on('end', () => this.push(body, NO_BYTES, true));
  }

  protected override mustReadUnasked(): boolean {
    const { 'transfer-encoding': encoding, 'content-length': length } = this.#request.headers;
    return encoding !== undefined || (length !== undefined && length !== '0');
  }

  protected override write(status: number, headers: ReplyHeaders, body: string | Uint8Array): void {
    const lengthBytes = Buffer.byteLength(body);
    this.#writeHead(status, headers, lengthBytes);
    // Text of ASCII alone is the same bytes in either encoding, and written faster in this one.
    if (typeof body === 'string' && lengthBytes === body.length) this.#response.end(body, 'latin1');
    else this.#response.end(body);
    this.#limitReading();
  }

  protected override writeHeadOnly(
    status: number,
    headers: ReplyHeaders,
    lengthBytes: number | undefined,
  ): void {
    this.#writeHead(status, headers, lengthBytes);
    this.#response.end();
    this.#limitReading();
  }

  /** node:http keeps what it is given until the system has taken it. */
  protected override openSink(
    status: number,
    headers: ReplyHeaders,
    lengthBytes: number | undefined,
  ): ReplySink {
    const response = this.#response;
    const begin = () => {
      if (!response.headersSent) this.#writeHead(status, headers, lengthBytes);
    };
    return {
      write: (bytes, last, taken) => {
        begin();
        if (last) response.end(bytes, taken);
        else response.write(bytes, taken);
      },
      end: () => {
        begin();
        response.end();
      },
    };
  }

  #writeHead(status: number, headers: ReplyHeaders, lengthBytes: number | undefined): void {
    const flat = flatHeaders(this.host.completed(headers));
    if (!isBodiless(status) && lengthBytes !== undefined) flat.push('content-length', String(lengthBytes));
    if (this.closes) flat.push('connection', 'close');
    this.#response.writeHead(status, flat);
  }

  /** Mostly the system has taken the whole reply by now, and a timer would cost more than writing it did. */
  #limitReading(): void {
    if (this.#socket.writableLength > 0) this.#socket.setTimeout(SLOW_CLIENT_MS);
  }
}

/** The address of the other end, IPv4-mapped IPv6 written as IPv4; empty when the connection is gone. */
export function addressOf(socket: Duplex): string {
  const address = 'remoteAddress' in socket ? socket.remoteAddress : undefined;
  return typeof address === 'string' ? address.replace(/^::ffff:(?=[\d.]+$)/i, '') : '';
}

/** Closes a connection when its client, which may still send, can have read what was written. */
export function endSlowly(socket: Duplex): void {
  socket.end();
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
}
