/**
 * A receiver of webhooks over real TLS that does what the test wants, well-behaved or hostile. The receiver listens on
 * port 8443 of a loopback address of its own (see `loopback-listener.ts`); the certificate is by a `TestAuthority`.
 *
 * A behaviour is a function, so that a test can write one that nobody thought of here.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { listenOnLoopback } from './loopback-listener.ts';
import type { Credentials } from './test-authority.ts';

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** In lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Unix milliseconds, when the body had come. */
  readonly receivedAtMs: number;
}

/** Answers a request that has been received as a whole, or doesn't. */
export type Behaviour = (response: ServerResponse, request: ReceivedRequest) => void;

export class TlsReceiver {
  readonly address: string;
  /** In the order of their arrival. */
  readonly requests: ReceivedRequest[] = [];
  /** The treatment of every request; may be set at any time. */
  behaviour: Behaviour = answer(200);
  readonly #server: Server;
  #connections = 0;

  private constructor(server: Server, address: string) {
    this.#server = server;
    this.address = address;
    server.on('connection', () => {
      this.#connections += 1;
    });
    server.on('request', (incoming, response) => void this.#receive(incoming, response));
  }

  /** `credentialsFor` is asked for a certificate when the address is known. */
  static async start(credentialsFor: (address: string) => Credentials): Promise<TlsReceiver> {
    const server = createServer();
    // A client that goes away is nothing that a receiver has to mind.
    server.on('tlsClientError', () => {});
    const address = await listenOnLoopback(server);
    server.setSecureContext({ ...credentialsFor(address) });
    return new TlsReceiver(server, address);
  }

  /** TCP connections accepted since the start, whatever came of them. */
  get connections(): number {
    return this.#connections;
  }

  /** TCP connections that are open. */
  openConnections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
    });
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      return;
    }
    response.on('error', () => {});
    const { method = '', url = '', headers } = incoming;
    const body = Buffer.concat(chunks);
    const request = { method, path: url, headers, body, receivedAtMs: Date.now() };
    this.requests.push(request);
    this.behaviour(response, request);
  }
}

export function answer(status: number, body = '', headers: Record<string, string> = {}): Behaviour {
  return (response) => response.writeHead(status, headers).end(body);
}

export function redirectTo(location: string): Behaviour {
  return answer(302, '', { location });
}

/** Takes the request and never answers. */
export function hang(): Behaviour {
  return () => {};
}

/** Takes requests, and answers all of them when it is told to. */
export function hold(): { readonly behaviour: Behaviour; release(status: number): void } {
  const held: ServerResponse[] = [];
  return {
    behaviour: (response) => held.push(response),
    release: (status) => {
      for (const response of held.splice(0)) response.writeHead(status).end();
    },
  };
}

/** A status at once, then a byte at each interval, for ever. */
export function trickle(status: number, intervalMs: number): Behaviour {
  return (response) => {
    response.writeHead(status).flushHeaders();
    const timer = setInterval(() => response.write('.'), intervalMs);
    response.on('close', () => clearInterval(timer));
  };
}

/** A status at once, then bytes as fast as they are taken, for ever. */
export function flood(status: number): Behaviour {
  return (response) => {
    const chunk = Buffer.alloc(64 * 1_024, 'x');
    const pour = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.writeHead(status);
    response.on('drain', pour);
    pour();
  };
}

/** `103 Early Hints` for ever, never an answer. */
export function interimForever(): Behaviour {
  return (response) => {
    const timer = setInterval(() => response.writeEarlyHints({ link: '</>; rel=preload' }), 1);
    response.on('close', () => clearInterval(timer));
  };
}

/** Raw bytes in place of an answer, then the end of the connection. */
export function raw(bytes: string): Behaviour {
  return (response) => response.socket?.end(bytes);
}

/** The connection breaks without an answer. */
export function reset(): Behaviour {
  return (response) => response.socket?.destroy();
}

/** Says that more is to come, and closes. */
export function closeMidway(status: number): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-length': '1000' }).write('the beginning', () => {
      response.socket?.destroy();
    });
  };
}
