/**
 * The faster transport: uWebSockets.js, the default where its binary loads.
 *
 * One app per listener, and one more for each certificate that came later: an app keeps the one that it began with. The
 * listener counts exchanges under way and connections open and drains by itself, for closing the server's listen socket
 * leaves every keep-alive connection in place, and closing its app cuts replies short.
 *
 * Behaviour of the server underneath (docs/http.md): a connection is closed that is idle for ten seconds, or whose
 * client reads too slowly for as long; the answer to a head over 16 KiB is 431, and to bytes that can't be parsed 400
 * or 505. Known and accepted: a request behind one under way closes the connection, and pausing the socket meanwhile
 * would not help, since both mostly lie in one segment; of several headers with one name the first counts; bytes beyond
 * ASCII at either end of a header value are cut off by its parser, and the rest is all it shows; a PROXY protocol frame
 * is parsed, but its address never used.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setImmediate as tick } from 'node:timers/promises';
import { ConnectionRoom } from './connection-room.ts';
import { SlowBodies } from './slow-bodies.ts';
import type { TlsIdentity } from './tls-identity.ts';
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

/** uWebSockets.js has no name for it. */
const LISTEN_SHARED = 0;

interface ServingApp {
  readonly app: UwsApp;
  /** Undefined when it takes no connections any more. */
  socket: UwsListenSocket | undefined;
  connections: number;
}

/** A room whose changes are told to `onChange`; another one is for tests. */
type MakeRoom = (
  onChange: (hasRoom: boolean) => void,
) => Pick<ConnectionRoom, 'start' | 'stop' | 'taken' | 'missed'>;

export class UwsListener implements Listener, UwsExchangeHost {
  readonly options: ListenOptions;
  port = 0;
  draining = false;
  readonly slowBodies = new SlowBodies();
  readonly #uws: UwsBinding;
  /** The newest takes connections. The others have some, and go with the last of them. */
  readonly #apps = new Set<ServingApp>();
  /** The newest app, while it may not listen for want of file descriptors. */
  #resting: ServingApp | undefined;
  readonly #room: ReturnType<MakeRoom>;
  #underWay = 0;
  #stopping: Promise<void> | undefined;
  #whenQuiet: (() => void) | undefined;
  #whenClosed: (() => void) | undefined;

  constructor(
    uws: UwsBinding,
    options: ListenOptions,
    makeRoom: MakeRoom = (onChange) => new ConnectionRoom(onChange),
  ) {
    this.options = options;
    this.#uws = uws;
    this.#room = makeRoom((hasRoom) => this.#roomChanged(hasRoom));
  }

  /** Throws when the server underneath does not take the certificate. */
  #serve(identity: TlsIdentity | undefined): ServingApp {
    const app =
      identity === undefined
        ? this.#uws.App()
        : this.#uws.SSLApp({ cert_file_name: identity.certFile, key_file_name: identity.keyFile });
    const serving: ServingApp = { app, socket: undefined, connections: 0 };
    app.filter((_response, change) => this.#connectionsChanged(serving, change));
    const { frequentPost } = this.options;
    if (frequentPost !== undefined) {
      app.post(frequentPost, (response, request) => this.#begin(response, request, 'POST', frequentPost));
    }
    app.any('/*', (response, request) => {
      this.#begin(response, request, request.getCaseSensitiveMethod(), request.getUrl());
    });
    return serving;
  }

  #begin(response: UwsResponse, request: UwsRequest, method: string, path: string): void {
    this.#underWay += 1;
    new UwsExchange(this, response, request, method, path).run();
  }

  async listen(): Promise<void> {
    const { host, port, tls } = this.options;
    const serving = this.#serve(tls);
    // Without TLS the system itself sees to it that nobody shares the port.
    const chosen = tls === undefined ? port : await unusedPort(host, port);
    this.#listenAt(serving, chosen);
    if (serving.socket === undefined) throw await listenError(host, chosen);
    this.port = this.#uws.us_socket_local_port(serving.socket);
    this.slowBodies.start();
    this.#room.start();
  }

  /** `serving` has a socket afterwards, if that went well. */
  #listenAt(serving: ServingApp, port: number): void {
    const { host, tls } = this.options;
    // A second server would silently share the port: only the app with the next certificate may.
    const sharing = tls === undefined ? this.#uws.LIBUS_LISTEN_EXCLUSIVE_PORT : LISTEN_SHARED;
    // It calls back at once.
    serving.app.listen(host, port, sharing, (socket) => {
      if (socket === false) return;
      serving.socket = socket;
      this.#apps.add(serving);
    });
  }

  renew(identity: TlsIdentity): void {
    if (this.options.tls === undefined) throw new Error('this listener speaks no TLS');
    if (this.draining) return;
    const earlier = [...this.#apps];
    const serving = this.#serve(identity);
    if (this.#resting !== undefined) {
      this.#resting = serving;
      void this.#retire(earlier);
      return;
    }
    this.#listenAt(serving, this.port);
    if (serving.socket === undefined) throw new Error(`can't listen on port ${this.port} once more`);
    void this.#retire(earlier);
  }

  /**
   * Stops listening. Connections that the system has accepted meanwhile are taken first: to close the socket would
   * break them off.
   */
  async #retire(apps: readonly ServingApp[]): Promise<void> {
    await tick();
    await tick();
    for (const serving of apps) {
      this.#stopListening(serving);
      this.#connectionsChanged(serving, 0);
    }
  }

  #stopListening(serving: ServingApp): void {
    if (serving.socket !== undefined) this.#uws.us_listen_socket_close(serving.socket);
    serving.socket = undefined;
  }

  /** Another program may have taken the port meanwhile, or the last descriptors: then it is tried again. */
  #roomChanged(hasRoom: boolean): void {
    // For a moment after a renewal these are two, and the newest is the last.
    const listening = [...this.#apps].filter(({ socket }) => socket !== undefined);
    const newest = listening.at(-1);
    if (!hasRoom && newest !== undefined) {
      this.#resting = newest;
      for (const serving of listening) this.#stopListening(serving);
      this.options.onCrowded?.(this.open.connections);
    }
    if (!hasRoom || this.#resting === undefined) return;
    this.#listenAt(this.#resting, this.port);
    if (this.#resting.socket === undefined) this.#room.missed();
    else this.#resting = undefined;
  }

  get open() {
    const connections = [...this.#apps].reduce((sum, serving) => sum + serving.connections, 0);
    return { connections, requests: this.#underWay };
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
    this.#room.stop();
    for (const serving of this.#apps) this.#stopListening(serving);
    await this.#quiet(graceMs);
    // A reply that was handed over just now leaves when the server's callback returns.
    await tick();
    const closed = new Promise<void>((resolve) => {
      this.#whenClosed = resolve;
    });
    for (const { app } of this.#apps) app.close();
    if (this.open.connections === 0) this.#whenClosed?.();
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

  #connectionsChanged(serving: ServingApp, change: number): void {
    serving.connections += change;
    if (change > 0) this.#room.taken();
    if (serving.connections > 0) return;
    if (serving.socket === undefined) this.#apps.delete(serving);
    if (this.open.connections === 0) this.#whenClosed?.();
  }
}

/** The port, or the one that the system chooses for 0. Rejects, saying why, when another program listens there. */
async function unusedPort(host: string, port: number): Promise<number> {
  const probe = createServer();
  probe.listen({ host, port, exclusive: true });
  await once(probe, 'listening');
  const { port: chosen } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return chosen;
}

/** uWebSockets.js doesn't say why it can't listen; a plain server that tries the same does. */
async function listenError(host: string, port: number): Promise<Error> {
  try {
    await unusedPort(host, port);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  const error = new Error(`uWebSockets.js can't listen on ${host}:${port}, which was free a moment later`);
  return Object.assign(error, { code: 'EADDRINUSE' });
}
