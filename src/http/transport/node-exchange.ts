/**
 * One request on node:http, from its head to its reply.
 *
 * It behaves as on uWebSockets.js, down to the limits: the same ten seconds for a slow body or a slow
 * reader, the same first value of a repeated header. The one addition is that a body nobody asked for is
 * dropped under the same bound as one that was too large, since node would read it without end.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BodyCollector } from './body-collector.ts';
import { BodyStream } from './body-stream.ts';
import { illegalHeader } from './reply-head.ts';
import { type BodySource, RequestBody } from './request-body.ts';
import type { BodyFailure, Exchange, ListenOptions, ReplyHeaders } from './transport.ts';

/** How long a client may take for the next 160 KiB of its body, or for reading on in its reply. */
export const SLOW_CLIENT_MS = 10_000;
const SLOW_CLIENT_BYTES = 160 * 1024;

/** How long a client that still sends may read the reply before its connection is closed. */
const LINGER_MS = 2_000;

const NO_BYTES = new Uint8Array(0);

export interface NodeExchangeHost {
  readonly options: ListenOptions;
  readonly draining: boolean;
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
  #slowBody: NodeJS.Timeout | undefined;
  #receivedBytes = 0;
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
    response.on('close', () => this.#closed());
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** Hands the exchange to the program. Called once, inside the server's request event. */
  run(): void {
    this.#guarded(() => this.#host.options.onExchange(this));
    this.#headOpen = false;
  }

  header(name: string): string | undefined {
    this.#requireHead();
    const value = this.#request.headersDistinct[name]?.[0];
    return value === '' ? undefined : value;
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
    body.consume(new BodyCollector(body, maxBytes, done));
    this.#watchSlowBody();
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
    if (this.#body === undefined || this.#body.over) {
      this.#send(status, headers, body);
    } else {
      this.#watchSlowBody();
      this.#body.cancel(() => this.#send(status, headers, body));
    }
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
    const socket = this.#socket;
    this.#closesAfterReply = true;
    this.#request.pause();
    clearTimeout(this.#slowBody);
    // What node calls after a reply that closes. Its own would reset the connection under the unread reply.
    socket.destroySoon = () => {
      socket.end();
      const linger = setTimeout(() => socket.destroy(), LINGER_MS);
      socket.once('close', () => clearTimeout(linger));
    };
  }

  close(): void {
    this.#socket.destroy();
  }

  #requireHead(): void {
    if (!this.#headOpen) throw new Error('the request head is gone once onExchange has returned');
  }

  #openBody(): RequestBody {
    if (this.#body !== undefined) throw new Error('a request body is read once');
    const body = new RequestBody(this);
    this.#body = body;
    this.#request.on('data', (chunk: Buffer) => this.#received(body, chunk, false));
    this.#request.on('end', () => this.#received(body, NO_BYTES, true));
    return body;
  }

  #received(body: RequestBody, chunk: Uint8Array, last: boolean): void {
    this.#receivedBytes += chunk.byteLength;
    if (last) {
      clearTimeout(this.#slowBody);
    } else if (this.#receivedBytes >= SLOW_CLIENT_BYTES) {
      this.#receivedBytes = 0;
      this.#slowBody?.refresh();
    }
    this.#guarded(() => body.push(chunk, last));
  }

  #watchSlowBody(): void {
    this.#slowBody ??= setTimeout(() => this.close(), SLOW_CLIENT_MS);
  }

  #closed(): void {
    clearTimeout(this.#slowBody);
    if (this.#response.writableFinished) return;
    this.#finished = true;
    this.#guarded(() => this.#body?.abort());
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      const { headers, body } = this.#host.options.fallbackReply();
      this.reply(500, headers, body);
      this.#host.options.onFault(error);
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
    const flat = headers.flat();
    flat.push('content-length', String(Buffer.byteLength(body)));
    if (this.#host.draining || this.#closesAfterReply) flat.push('connection', 'close');
    this.#socket.setTimeout(SLOW_CLIENT_MS);
    this.#response.writeHead(status, flat);
    this.#response.end(body);
  }
}

function announcesBody(request: IncomingMessage): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}
