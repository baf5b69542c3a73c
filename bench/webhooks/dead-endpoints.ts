/**
 * Endpoints that no delivery gets through to: hosts that refuse connections, that take them and say nothing, or that
 * answer every request with 500, over TLS, and keep the connection.
 */
import { writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { listenOnLoopback } from '../../test/support/servers/loopback-listener.ts';
import { TestAuthority } from '../../test/support/servers/test-authority.ts';
import { answer, TlsReceiver } from '../../test/support/servers/tls-receiver.ts';

export const deadKinds = ['refusing', 'silent', 'failing'] as const;
export type DeadKind = (typeof deadKinds)[number];

/** Nobody listens there. */
const REFUSING_HOST = '127.255.255.1';

interface DeadHost {
  readonly host: string;
  close(): void;
}

export class DeadEndpoints {
  /** Hosts, one of each kind. */
  readonly hosts: readonly string[];
  /** The environment that a node needs, to trust the hosts that answer. */
  readonly env: Readonly<Record<string, string>>;
  readonly #deadHosts: readonly DeadHost[];

  private constructor(deadHosts: readonly DeadHost[], authorityFile: string) {
    this.hosts = deadHosts.map(({ host }) => host);
    this.env = { NODE_EXTRA_CA_CERTS: authorityFile };
    this.#deadHosts = deadHosts;
  }

  /** The certificate of those that answer lies in `folder`. */
  static async open(kinds: readonly DeadKind[], folder: string): Promise<DeadEndpoints> {
    const authority = new TestAuthority();
    const authorityFile = join(folder, 'dead-endpoints.crt');
    await writeFile(authorityFile, authority.certificate);
    const open: Record<DeadKind, () => Promise<DeadHost>> = {
      refusing: async () => ({ host: REFUSING_HOST, close: () => {} }),
      silent: openSilent,
      failing: () => openFailing(authority),
    };
    return new DeadEndpoints(await Promise.all(kinds.map((kind) => open[kind]())), authorityFile);
  }

  close(): void {
    for (const host of this.#deadHosts) host.close();
  }
}

/** Takes connections and says nothing. */
async function openSilent(): Promise<DeadHost> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
  });
  const host = await listenOnLoopback(server);
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { host, close };
}

async function openFailing(authority: TestAuthority): Promise<DeadHost> {
  const receiver = await TlsReceiver.start((address) => authority.issue([address]));
  const fail = answer(500, 'something went wrong');
  receiver.behaviour = (response, request) => {
    // It would keep them all.
    receiver.requests.length = 0;
    fail(response, request);
  };
  return { host: receiver.address, close: () => receiver.stop() };
}
