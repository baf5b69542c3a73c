/**
 * The faster transport: uWebSockets.js, the default where its binary loads.
 *
 * One app per listener. The listener counts exchanges under way and connections open and drains by itself,
 * for closing the server's listen socket leaves every keep-alive connection in place, and closing its app
 * cuts replies short.
 *
 * What the server underneath does by itself, and docs/http.md lists: it closes a connection that is idle for ten
 * seconds, or whose client reads too slowly for as long; it answers a head over 16 KiB with 431 and what it
 * can't parse with 400 or 505. Known and accepted: a request behind one under way closes the connection, and
 * pausing the socket meanwhile would not help, since both mostly lie in one segment; of several headers with one
 * name the first counts; bytes beyond ASCII at either end of a header value are cut off by its parser, and the
 * rest is all it shows; a PROXY protocol frame is parsed, but its address never used.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SlowBodies } from './slow-bodies.ts';
import type { Listener, ListenOptions, Transport } from './transport.ts';
import {
  loadUwsBinding,
  type UwsApp,
  type UwsBinding,
  type UwsListenSocket,
  type UwsRequest,
  type UwsResponse,
} from './uws-binding.ts';
import { UwsExchange, type UwsExchangeHost } from './uws-exchange.ts';

/** Rejects, saying what to do, when there is no binary of uWebSockets.js for this Node version. */
export async function openUwsTransport(): Promise<Transport> {
  const uws = await loadUwsBinding();
  uws._cfg?.('silent');
  return {
    listen: async (options) => {
      const listener = new UwsListener(uws, options);
      await listener.listen();
      return listener;
    },
  };
}

class UwsListener implements Listener, UwsExchangeHost {
  readonly options: ListenOptions;
  port = 0;
  draining = false;
  readonly slowBodies = new SlowBodies();
  readonly #uws: UwsBinding;
  readonly #app: UwsApp;
  #listenSocket: UwsListenSocket | undefined;
  #underWay = 0;
  #connections = 0;
  #stopping: Promise<void> | undefined;
  #whenQuiet: (() => void) | undefined;
  #whenClosed: (() => void) | undefined;

  constructor(uws: UwsBinding, options: ListenOptions) {
    this.options = options;
    this.#uws = uws;
    this.#app = uws.App();
    this.#app.filter((_response, change) => this.#connectionsChanged(change));
    const { frequentPost } = options;
    if (frequentPost !== undefined) {
      this.#app.post(frequentPost, (response, request) => {
        this.#begin(response, request, 'POST', frequentPost);
      });
    }
    this.#app.any('/*', (response, request) => {
      this.#begin(response, request, request.getCaseSensitiveMethod(), request.getUrl());
    });
  }

  #begin(response: UwsResponse, request: UwsRequest, method: string, path: string): void {
    this.#underWay += 1;
    new UwsExchange(this, response, request, method, path).run();
  }

  async listen(): Promise<void> {
    const { host, port } = this.options;
    // Without the option a second server would silently share the port.
    const socket = await new Promise<UwsListenSocket | false>((resolve) => {
      this.#app.listen(host, port, this.#uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
    });
    if (socket === false) throw await listenError(host, port);
    this.#listenSocket = socket;
    this.port = this.#uws.us_socket_local_port(socket);
    this.slowBodies.start();
  }

  get open() {
    return { connections: this.#connections, requests: this.#underWay };
  }

  exchangeEnded(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#whenQuiet?.();
  }

  stop(graceMs: number): Promise<void> {
    this.#stopping ??= this.#stop(graceMs);
    return this.#stopping;
  }

  async #stop(graceMs: number): Promise<void> {
    this.draining = true;
    if (this.#listenSocket !== undefined) this.#uws.us_listen_socket_close(this.#listenSocket);
    await this.#quiet(graceMs);
    // A reply that was handed over just now leaves when the server's callback returns.
    await nextTurn();
    const closed = new Promise<void>((resolve) => {
      this.#whenClosed = resolve;
    });
    this.#app.close();
    this.#connectionsChanged(0);
    await closed;
    this.slowBodies.stop();
  }

  /** Resolves when no exchange is under way, at the latest after `graceMs`. */
  #quiet(graceMs: number): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const grace = setTimeout(resolve, graceMs);
      this.#whenQuiet = () => {
        clearTimeout(grace);
        resolve();
      };
    });
  }

  #connectionsChanged(change: number): void {
    this.#connections += change;
    if (this.#connections === 0) this.#whenClosed?.();
  }
}

/** uWebSockets.js doesn't say why it can't listen; a plain server that tries the same does. */
async function listenError(host: string, port: number): Promise<Error> {
  const probe = createServer();
  try {
    probe.listen({ host, port, exclusive: true });
    await once(probe, 'listening');
    probe.close();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  const error = new Error(`uWebSockets.js can't listen on ${host}:${port}, which was free a moment later`);
  return Object.assign(error, { code: 'EADDRINUSE' });
}
