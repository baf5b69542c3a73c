/**
 * The other transport: node:http, for any Node version and platform, with the strictest parser there is.
 *
 * Its limits are set to those of uWebSockets.js, so that a client sees no difference: ten seconds for a
 * head, an idle connection, a slow body or a slow reader, and no second request while a reply is pending.
 * Node's own `requestTimeout` is off, for it counts a streamed upload of any size as one request. Its
 * `closeIdleConnections` is put out of action, for it passes over connections that never sent a request and
 * cuts off replies that are written but not yet read: the listener knows its connections itself.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { NodeExchange, type NodeExchangeHost, SLOW_CLIENT_MS } from './node-exchange.ts';
import { SlowBodies } from './slow-bodies.ts';
import type { Listener, ListenOptions, Transport } from './transport.ts';

const MAX_HEAD_BYTES = 8 * 1024;
const CHECK_HEADS_EVERY_MS = 2_000;

export function openNodeTransport(): Transport {
  return {
    listen: async (options) => {
      const listener = new NodeListener(options);
      await listener.listen();
      return listener;
    },
  };
}

class NodeListener implements Listener, NodeExchangeHost {
  readonly options: ListenOptions;
  port = 0;
  draining = false;
  readonly slowBodies = new SlowBodies();
  readonly #server: Server;
  /** Every open connection, with the response under way on it. */
  readonly #connections = new Map<Duplex, ServerResponse | undefined>();
  #stopping: Promise<void> | undefined;
  #whenClosed: (() => void) | undefined;

  constructor(options: ListenOptions) {
    this.options = options;
    this.#server = createServer({
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: SLOW_CLIENT_MS,
      requestTimeout: 0,
      keepAliveTimeout: SLOW_CLIENT_MS,
      connectionsCheckingInterval: CHECK_HEADS_EVERY_MS,
      insecureHTTPParser: false,
    });
    // `close` calls it.
    this.#server.closeIdleConnections = () => {};
    this.#server.on('connection', (socket) => this.#opened(socket));
    this.#server.on('request', (request, response) => this.#requested(request, response));
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
    for (const [socket, response] of this.#connections) {
      if (response === undefined) socket.destroy();
    }
    const grace = setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy();
    }, graceMs);
    await Promise.all([serverClosed, connectionsClosed]);
    clearTimeout(grace);
    this.slowBodies.stop();
  }

  #opened(socket: Socket): void {
    this.#connections.set(socket, undefined);
    socket.once('close', () => {
      this.#connections.delete(socket);
      if (this.#connections.size === 0) this.#whenClosed?.();
    });
  }

  #requested(request: IncomingMessage, response: ServerResponse): void {
    const socket = request.socket;
    const before = this.#connections.get(socket);
    if (before !== undefined && !before.writableEnded) {
      socket.destroy();
      return;
    }
    socket.setTimeout(0);
    this.#connections.set(socket, response);
    response.once('close', () => this.#replied(socket, response));
    if (request.url?.startsWith('/') && request.httpVersionMajor === 1) {
      new NodeExchange(this, request, response).run();
    } else {
      response.writeHead(400, { connection: 'close', 'content-length': 0 }).end();
    }
  }

  #replied(socket: Socket, response: ServerResponse): void {
    if (this.#connections.get(socket) !== response) return;
    this.#connections.set(socket, undefined);
    if (this.draining) socket.destroySoon();
  }

  /** What can't be parsed gets a bare answer, unless a reply is under way that it would cut into. */
  #unreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (!socket.writable || this.#connections.get(socket) !== undefined) {
      socket.destroy();
      return;
    }
    const status =
      error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () =>
      socket.destroy(),
    );
  }
}
