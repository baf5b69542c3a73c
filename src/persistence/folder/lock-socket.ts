/**
 * The Unix domain socket behind a folder's lock: the holder's end, and a question put to it from outside.
 *
 * The kernel accepts connections for a listening process however busy it is, and refuses them once it is gone,
 * however it went. That is why it is a socket and not a file with a process number in it.
 */
import { closeSync, openSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/** The smallest limit of the systems in use, the closing zero byte not counted. */
const MAX_SOCKET_PATH_BYTES = 103;
const LONGEST_NAME_BYTES = 32;
const ANSWER_TIMEOUT_MS = 1_000;
const MAX_ANSWER_BYTES = 64;
const MAX_CONNECTIONS = 64;
const HANG_UP_ATTEMPTS = 3;

type Outcome = 'connected' | 'hung up' | 'dead' | 'gone';

const OUTCOME_BY_CODE: ReadonlyMap<string, Outcome> = new Map([
  ['ECONNREFUSED', 'dead'],
  ['ENOENT', 'gone'],
  ['ECONNRESET', 'hung up'],
  ['EPIPE', 'hung up'],
  // Connections wait in a queue for the holder to accept them: one that is full is a sign of life.
  ['EAGAIN', 'connected'],
]);

/** `waiting`: it listens, but doesn't know yet whether it gets the lock. */
export type LockState = 'waiting' | 'holding';

export type Probe =
  | { readonly kind: 'gone' | 'dead' }
  /** `pid` is unknown when nothing legible came in time. */
  | { readonly kind: 'live'; readonly state: LockState; readonly pid: number | undefined };

/** Reaches sockets in a folder whose path may be longer than a socket's address. */
export class SocketFolder {
  readonly #base: string;
  readonly #descriptor: number | undefined;

  private constructor(base: string, descriptor: number | undefined) {
    this.#base = base;
    this.#descriptor = descriptor;
  }

  /** @throws Error of one line when the path is too long here; the file system's errors */
  static open(folder: string): SocketFolder {
    const isShort = Buffer.byteLength(folder) + 1 + LONGEST_NAME_BYTES <= MAX_SOCKET_PATH_BYTES;
    if (isShort) return new SocketFolder(folder, undefined);
    if (process.platform !== 'linux') {
      const limit = MAX_SOCKET_PATH_BYTES - 1 - LONGEST_NAME_BYTES;
      throw new Error(`its path is longer than the ${limit} bytes that a lock's socket leaves for it`);
    }
    const descriptor = openSync(folder, 'r');
    return new SocketFolder(`/proc/self/fd/${descriptor}`, descriptor);
  }

  socketPath(name: string): string {
    return join(this.#base, name);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}

/** Answers every connection with the process number and whether it holds the lock. Keeps no process alive. */
export class LockSocket {
  state: LockState = 'waiting';
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((peer) => this.#answer(peer));
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.unref();
  }

  static listen(path: string): Promise<LockSocket> {
    const socket = new LockSocket();
    return new Promise((resolve, reject) => {
      socket.#server.once('error', reject);
      socket.#server.listen({ path }, () => {
        socket.#server.off('error', reject);
        // Failing to accept one connection (too many open files, say) is the peer's trouble.
        socket.#server.on('error', () => undefined);
        resolve(socket);
      });
    });
  }

  /** Also removes the path it was bound to, should that still be there. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  #answer(peer: Socket): void {
    peer.unref();
    peer.on('error', () => undefined);
    peer.end(`${process.pid} ${this.state}\n`, () => peer.destroy());
  }
}

/**
 * Asks whether somebody listens. Takes a second or so at most.
 * @throws the error of a connection that fails otherwise than by being refused
 */
export async function probeSocket(path: string): Promise<Probe> {
  for (let attempt = 1; ; attempt += 1) {
    const { outcome, text } = await ask(path);
    if (outcome === 'dead' || outcome === 'gone') return { kind: outcome };
    // Hanging up is what a holder does that dies at this moment: the next attempt will be refused.
    if (outcome !== 'hung up' || attempt === HANG_UP_ATTEMPTS) return { kind: 'live', ...parseAnswer(text) };
  }
}

/** Resolves with the first line of the answer, with what there is of it after a second, or without one. */
function ask(path: string): Promise<{ outcome: Outcome; text: string }> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path });
    let text = '';
    const conclude = (outcome: Outcome) => {
      socket.destroy();
      clearTimeout(timer);
      resolve({ outcome, text });
    };
    const timer = setTimeout(() => conclude('connected'), ANSWER_TIMEOUT_MS);
    socket.setEncoding('latin1');
    socket.on('data', (part: string) => {
      text += part;
      if (text.includes('\n') || text.length > MAX_ANSWER_BYTES) conclude('connected');
    });
    socket.on('end', () => conclude('hung up'));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const outcome = OUTCOME_BY_CODE.get(error.code ?? '');
      if (outcome !== undefined) return conclude(outcome);
      clearTimeout(timer);
      reject(error);
    });
  });
}

/** Who doesn't answer is taken for the holder: that errs on the safe side. */
function parseAnswer(answer: string): { state: LockState; pid: number | undefined } {
  const match = /^([1-9]\d{0,9}) (waiting|holding)\n/.exec(answer);
  return {
    state: match?.[2] === 'waiting' ? 'waiting' : 'holding',
    pid: match ? Number(match[1]) : undefined,
  };
}
