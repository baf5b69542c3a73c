/**
 * The other transport: node:http, for any Node version and platform, with the strictest parser there is.
 *
 * Its limits are set to those of uWebSockets.js, so that a client sees no difference: 16 KiB for a head, ten
 * seconds for it, for an idle connection or a slow reader. Where it can do more it does: what its parser
 * refuses gets the 400 of the program above, and a reply under way reaches a client that sends its next request
 * too early. Node's own `requestTimeout` is off, for it counts a streamed upload of any size as one request. Its
 * `closeIdleConnections` is put out of action, for it passes over connections that never sent a request and
 * cuts off replies that are written but not yet read: the listener knows its connections itself.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  addressOf,
  endSlowly,
  NodeExchange,
  type NodeExchangeHost,
  SLOW_CLIENT_MS,
} from './node-exchange.ts';
import {
  flatHeaders,
  headerLines,
  type ReplyHeader,
  type ReplyHeaders,
  withDefaults,
} from './reply-headers.ts';
import { SlowBodies } from './slow-bodies.ts';
import type { TlsIdentity } from './tls-identity.ts';
import type { Listener, ListenOptions, StreamingExchange, Transport } from './transport.ts';

const MAX_HEAD_BYTES = 16 * 1024;
const CHECK_HEADS_EVERY_MS = 1_000;

/** How many requests that come before the reply to the first are dropped, until the connection is. */
const MAX_OVERTAKING = 32;

interface Connection {
  /** The request under way, with its exchange when the program was given it. */
  response: ServerResponse | undefined;
  exchange: NodeExchange | undefined;
  overtaking: number;
}

/** `everyReply`: headers of every reply of its listeners, also of refusals; a reply's own of the same name counts instead. */
export function openNodeTransport(everyReply: readonly ReplyHeader[] = []): Transport<StreamingExchange> {
  return {
    listen: async (options) => {
      const listener = new NodeListener(options, everyReply);
      await listener.listen();
      return listener;
    },
  };
}

class NodeListener implements Listener, NodeExchangeHost {
  readonly options: ListenOptions<StreamingExchange>;
  port = 0;
  draining = false;
  readonly slowBodies = new SlowBodies();
  readonly #everyReply: readonly ReplyHeader[];
  readonly #server: Server | TlsServer;
  /** Connections that speak no HTTP yet, by the client's address and port: what comes of one is another object. */
  readonly #handshakes = new Map<string, Socket>();
  readonly #connections = new Map<Duplex, Connection>();
  #stopping: Promise<void> | undefined;
  #whenClosed: (() => void) | undefined;

  constructor(options: ListenOptions<StreamingExchange>, everyReply: readonly ReplyHeader[]) {
    this.options = options;
    this.#everyReply = everyReply;
    const settings = {
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: SLOW_CLIENT_MS,
      requestTimeout: 0,
      keepAliveTimeout: SLOW_CLIENT_MS,
      connectionsCheckingInterval: CHECK_HEADS_EVERY_MS,
      insecureHTTPParser: false,
      // Its own answer to a request without one has no body.
      requireHostHeader: false,
    };
    const { tls } = options;
    this.#server =
      tls === undefined
        ? createServer(settings)
        : createTlsServer({ ...settings, cert: tls.cert, key: tls.key, handshakeTimeout: SLOW_CLIENT_MS });
    this.#server.maxHeadersCount = 0;
    // `close` calls it.
    this.#server.closeIdleConnections = () => {};
    if (tls === undefined) this.#server.on('connection', (socket) => this.#opened(socket));
    else {
      this.#server.on('connection', (socket) => this.#greeted(socket));
      this.#server.on('secureConnection', (socket: Socket) => this.#opened(socket));
    }
    const requested = (request: IncomingMessage, response: ServerResponse) =>
      this.#requested(request, response);
    this.#server.on('request', requested);
    // An expectation nobody knows is none; node would answer 417 by itself.
    this.#server.on('checkExpectation', requested);
    this.#server.on('connect', (_request, socket) => this.#refuse(socket, 'CONNECT is not served.'));
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.#unreadable(error, socket));
  }

  async listen(): Promise<void> {
    const { host, port } = this.options;
    this.#server.listen({ host, port, exclusive: true });
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address !== null && typeof address === 'object') this.port = address.port;
    this.slowBodies.start();
  }

  completed(headers: ReplyHeaders): ReplyHeaders {
    return this.#everyReply.length === 0 ? headers : withDefaults(headers, this.#everyReply);
  }

  get open() {
    const underWay = Array.from(this.#connections.values()).filter(({ response }) => response !== undefined);
    return { connections: this.#connections.size, requests: underWay.length };
  }

  renew({ cert, key }: TlsIdentity): void {
    if (!('setSecureContext' in this.#server)) throw new Error('this listener speaks no TLS');
    this.#server.setSecureContext({ cert, key });
  }

  stop(graceMs: number): Promise<void> {
    this.#stopping ??= this.#stop(graceMs);
    return this.#stopping;
  }

  async #stop(graceMs: number): Promise<void> {
    this.draining = true;
    const serverClosed = once(this.#server, 'close');
    // The server's event comes before the last connection's own.
    const connectionsClosed = new Promise<void>((resolve) => {
      if (this.#connections.size === 0) resolve();
      else this.#whenClosed = resolve;
    });
    this.#server.close();
    for (const socket of this.#handshakes.values()) socket.destroy();
    for (const [socket, { response }] of this.#connections) {
      if (response === undefined) socket.destroy();
    }
    const grace = setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy();
    }, graceMs);
    await Promise.all([serverClosed, connectionsClosed]);
    clearTimeout(grace);
    this.slowBodies.stop();
  }

  #greeted(socket: Socket): void {
    const client = clientOf(socket);
    this.#handshakes.set(client, socket);
    socket.once('close', () => {
      if (this.#handshakes.get(client) === socket) this.#handshakes.delete(client);
    });
  }

  #opened(socket: Socket): void {
    this.#handshakes.delete(clientOf(socket));
    this.#connections.set(socket, { response: undefined, exchange: undefined, overtaking: 0 });
    socket.once('close', () => {
      this.#connections.delete(socket);
      if (this.#connections.size === 0) this.#whenClosed?.();
    });
  }

  #requested(request: IncomingMessage, response: ServerResponse): void {
    const socket = request.socket;
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    if (connection.response !== undefined && !connection.response.writableEnded) {
      this.#overtaken(connection, socket);
      return;
    }
    connection.response = response;
    const fault = faultOf(request);
    const exchange = fault === undefined ? new NodeExchange(this, request, response) : undefined;
    connection.exchange = exchange;
    response.once('close', () => {
      this.#replied(connection, socket, response);
      exchange?.closed();
    });
    if (fault === undefined) {
      exchange?.run();
    } else {
      const { headers, body } = this.options.refusalReply(fault, addressOf(socket));
      const more = ['content-length', String(Buffer.byteLength(body)), 'connection', 'close'];
      socket.destroySoon = () => endSlowly(socket);
      response.writeHead(400, [...flatHeaders(this.completed(headers)), ...more]).end(body);
    }
  }

  /** The reply under way is the last: the client must send again what came before it. */
  #overtaken(connection: Connection, socket: Duplex): void {
    connection.overtaking += 1;
    if (connection.overtaking > MAX_OVERTAKING) socket.destroy();
    else connection.exchange?.closeAfterReply();
  }

  #replied(connection: Connection, socket: Socket, response: ServerResponse): void {
    if (connection.response !== response) return;
    connection.response = undefined;
    if (this.draining || connection.overtaking > 0) socket.destroySoon();
  }

  /**
   * Refuses bytes that can't be parsed, unless they follow a request under way: its reply then is the last. In the body
   * of a request they end that request, and are none of their own; so does a client that leaves before the body's end.
   */
  #unreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.#connections.get(socket);
    const response = connection?.response;
    const isInBody = response?.req.complete === false;
    if (connection === undefined || !socket.writable || isSilent(error, socket)) {
      socket.destroy();
    } else if (isInBody && hasLeft(error)) {
      socket.destroy();
    } else if (response === undefined || response.writableEnded) {
      this.#refuse(socket, messageOf(error));
    } else if (!isInBody) {
      this.#overtaken(connection, socket);
    } else if (response.headersSent) {
      socket.destroy();
    } else {
      this.#refuse(socket, messageOf(error), connection.exchange);
    }
  }

  /** `answered` is the request that can't be read any further. */
  #refuse(socket: Duplex, message: string, answered?: NodeExchange): void {
    const { headers, body } = this.options.refusalReply(message, addressOf(socket), answered?.requestId);
    const length = Buffer.byteLength(body);
    answered?.abandon(400, length);
    socket.write(
      `HTTP/1.1 400 Bad Request${headerLines(this.completed(headers))}\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n${body}`,
    );
    socket.pause();
    endSlowly(socket);
  }
}

function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** The fault of a request that node has let through; undefined when there is none. */
function faultOf(request: IncomingMessage): string | undefined {
  if (request.httpVersionMajor !== 1) return 'The HTTP version must be 1.1.';
  const hosts = hostsOf(request.rawHeaders);
  if (hosts > 1 || (hosts === 0 && request.httpVersionMinor > 0)) {
    return 'A request must have one Host header.';
  }
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return 'The Transfer-Encoding must be chunked, or none.';
  }
  return undefined;
}

/** How many headers of that name were sent: node keeps the first and forgets the others. */
function hostsOf(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

/** A connection on which nothing came: an answer would be taken for that to a request sent just now. */
function isSilent(error: NodeJS.ErrnoException, socket: Duplex): boolean {
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && 'bytesRead' in socket && socket.bytesRead === 0;
}

/** Rather than sent something that is no HTTP. */
function hasLeft({ code }: NodeJS.ErrnoException): boolean {
  return code === 'HPE_INVALID_EOF_STATE' || code === 'ECONNRESET' || code === 'EPIPE';
}

function messageOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'HPE_HEADER_OVERFLOW') return `The request head is larger than ${MAX_HEAD_BYTES} bytes.`;
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request head did not arrive within ten seconds.';
  return 'The request is not valid HTTP/1.1.';
}
