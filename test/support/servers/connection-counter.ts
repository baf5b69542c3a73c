/** A listener that counts who connects, and never says a word: proof that somebody did not, or a TLS that hangs. */
import { createServer, type Server, type Socket } from 'node:net';
import { listenOnLoopback } from './loopback-listener.ts';

export class ConnectionCounter {
  readonly address: string;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #count = 0;

  private constructor(server: Server, address: string) {
    this.#server = server;
    this.address = address;
    server.on('connection', (socket) => {
      this.#count += 1;
      this.#open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#open.delete(socket));
      // Otherwise the end of the stream would never be noticed.
      socket.resume();
    });
  }

  /** On port 8443 of a loopback address of its own. */
  static async start(): Promise<ConnectionCounter> {
    const server = createServer();
    return new ConnectionCounter(server, await listenOnLoopback(server));
  }

  /** Since the start. */
  get count(): number {
    return this.#count;
  }

  get open(): number {
    return this.#open.size;
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }
}
