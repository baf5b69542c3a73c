/**
 * A network that misbehaves: a TCP proxy before one port of this machine. It delays what passes, cuts connections, keeps
 * replies to itself, and goes dark, as a cable does that was pulled: nothing is refused then, and nothing answers.
 *
 *     const proxy = await TcpProxy.start(5432);
 *     proxy.port;                  // what the client connects to
 *     proxy.delayMs = 20;          // each way
 *     proxy.cut();                 // all connections, as a server that dies does
 *     proxy.isDark = true;         // what is sent meanwhile comes when there is light again
 *     proxy.swallow('INSERT');     // no reply to the next request that has this in it, nor to what follows it
 *     await proxy.close();
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class TcpProxy {
  readonly #server: Server;
  readonly #target: number;
  readonly #links = new Set<Link>();
  #isDark = false;
  #swallowed: string | undefined;
  /** Of each piece, in either direction. */
  delayMs = 0;

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

  get connections(): number {
    return this.#links.size;
  }

  /** How many of them have lost a reply. */
  get mute(): number {
    return [...this.#links].filter(({ isMute }) => isMute).length;
  }

  get isDark(): boolean {
    return this.#isDark;
  }

  set isDark(isDark: boolean) {
    this.#isDark = isDark;
    for (const link of this.#links) link.hold(isDark);
  }

  /** The connection of the next request that has `text` in one piece answers no more; the server gets what it is sent. */
  swallow(text: string): void {
    this.#swallowed = text;
  }

  /** Resets all connections that there are; new ones are accepted. */
  cut(): void {
    for (const link of this.#links) link.cut();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }

  #accept(client: Socket): void {
    const link = new Link(client, connect(this.#target, '127.0.0.1'), {
      delayMs: () => this.delayMs,
      isSwallowed: (request) => {
        if (this.#swallowed === undefined || !request.includes(this.#swallowed)) return false;
        this.#swallowed = undefined;
        return true;
      },
      onEnd: () => this.#links.delete(link),
    });
    this.#links.add(link);
    link.hold(this.#isDark);
  }
}

interface LinkOptions {
  delayMs(): number;
  isSwallowed(request: Buffer): boolean;
  onEnd(): void;
}

/** A client and its server. */
class Link {
  readonly #ends: readonly [Socket, Socket];
  isMute = false;

  constructor(client: Socket, server: Socket, { delayMs, isSwallowed, onEnd }: LinkOptions) {
    this.#ends = [client, server];
    const pass = (to: Socket, act: () => void) => {
      const ms = delayMs();
      if (ms === 0) act();
      else
        setTimeout(() => {
          if (!to.destroyed) act();
        }, ms);
    };
    client.on('data', (piece: Buffer) => {
      if (isSwallowed(piece)) this.isMute = true;
      pass(server, () => server.write(piece));
    });
    server.on('data', (piece) => {
      if (!this.isMute) pass(client, () => client.write(piece));
    });
    for (const [end, other] of [
      [client, server],
      [server, client],
    ] as const) {
      end.setNoDelay(true);
      end.on('error', () => {});
      end.on('end', () => pass(other, () => other.end()));
      end.once('close', () => {
        other.destroy();
        onEnd();
      });
    }
  }

  /** What arrives meanwhile waits. */
  hold(isHeld: boolean): void {
    for (const end of this.#ends) {
      if (isHeld) end.pause();
      else end.resume();
    }
  }

  cut(): void {
    for (const end of this.#ends) end.resetAndDestroy();
  }
}
