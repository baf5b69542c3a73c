/**
 * A network that misbehaves: a TCP proxy before one port of this machine. The proxy keeps replies to itself, and goes
 * dark, as a cable does that was pulled: nothing is refused then, and nothing answers.
 *
 *     const proxy = await TcpProxy.start(5432);
 *     proxy.port;                  // what the client connects to
 *     proxy.isDark = true;         // what is sent meanwhile comes when there is light again
 *     proxy.swallow('INSERT');     // no reply to the next request that has this in it, nor to what follows it
 *     proxy.edit = (piece) => …;   // what either side hears of the other
 *     await proxy.close();
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class TcpProxy {
  readonly #server: Server;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #isDark = false;
  #swallowed: string | undefined;
  edit = (piece: Buffer, _from: 'client' | 'server'): Buffer => piece;

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.#target = target;
    server.on('connection', (client) => this.#accept(client));
  }

  /** Before `target`, a port of this machine. */
  static async start(target: number): Promise<TcpProxy> {
    const server = createServer({ pauseOnConnect: true });
    await Promise.all([once(server, 'listening'), server.listen(0, '127.0.0.1')]);
    return new TcpProxy(server, target);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  set isDark(isDark: boolean) {
    this.#isDark = isDark;
    for (const socket of this.#sockets) this.#hold(socket);
  }

  /** The connection of the next request that has `text` in one piece answers no more; the server gets what it is sent. */
  swallow(text: string): void {
    this.#swallowed = text;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }

  #accept(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1');
    let isMute = false;
    client.on('data', (piece: Buffer) => {
      if (this.#swallowed !== undefined && piece.includes(this.#swallowed)) {
        this.#swallowed = undefined;
        isMute = true;
      }
      server.write(this.edit(piece, 'client'));
    });
    server.on('data', (piece: Buffer) => {
      if (!isMute) client.write(this.edit(piece, 'server'));
    });
    for (const [end, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(end);
      end.setNoDelay(true);
      end.on('error', () => {});
      end.on('end', () => other.end());
      end.once('close', () => {
        other.destroy();
        this.#sockets.delete(end);
      });
      this.#hold(end);
    }
  }

  /** Keeps bytes waiting that arrive in the dark. */
  #hold(socket: Socket): void {
    if (this.#isDark) socket.pause();
    else socket.resume();
  }
}
