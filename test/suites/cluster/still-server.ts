/**
 * A server that speaks as much of PostgreSQL's protocol as `pg` needs to connect and to ask, and stands still when it is
 * told to: connections stay open, and nothing is answered. Every answer is one row with one value.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

const TEXT = 25;

export class StillServer {
  /** A number of a timeline, too. */
  static readonly VALUE = '00000001';
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Queries that it still answers on connections that it greets; below 0 it greets nobody. */
  answersLeft = Number.POSITIVE_INFINITY;

  private constructor() {
    this.#server = createServer((socket) => this.#accept(socket));
  }

  static async start(): Promise<StillServer> {
    const still = new StillServer();
    await Promise.all([once(still.#server, 'listening'), still.#server.listen(0, '127.0.0.1')]);
    return still;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {}).once('close', () => this.#sockets.delete(socket));
    let isGreeted = false;
    let unread = Buffer.alloc(0);
    socket.on('data', (piece: Buffer) => {
      unread = Buffer.concat([unread, piece]);
      for (;;) {
        // The first message has no type.
        const start = isGreeted ? 1 : 0;
        if (unread.length < start + 4) return;
        const end = start + unread.readInt32BE(start);
        if (unread.length < end) return;
        const type = isGreeted ? unread.toString('latin1', 0, 1) : undefined;
        unread = unread.subarray(end);
        isGreeted = true;
        const answer = this.#answer(type);
        if (answer !== undefined) socket.write(answer);
      }
    });
  }

  #answer(type: string | undefined): Buffer | undefined {
    if (type === undefined) return this.answersLeft < 0 ? undefined : Buffer.concat([ENTER, READY]);
    if (type === 'P') return this.#isStill ? undefined : message('1');
    if (type === 'B') return this.#isStill ? undefined : message('2');
    if (type === 'D') return this.#isStill ? undefined : COLUMNS;
    if (type === 'E') return this.#isStill ? undefined : Buffer.concat([ROW, DONE]);
    const isQuery = type === 'Q';
    if ((type !== 'S' && !isQuery) || this.#isStill) return undefined;
    this.answersLeft -= 1;
    return isQuery ? Buffer.concat([COLUMNS, ROW, DONE, READY]) : READY;
  }

  get #isStill(): boolean {
    return this.answersLeft <= 0;
  }
}

const ENTER = message('R', int32(0));
const READY = message('Z', Buffer.from('I'));
const COLUMNS = message(
  'T',
  Buffer.concat([
    int16(1),
    cString('timeline'),
    int32(0),
    int16(0),
    int32(TEXT),
    int16(-1),
    int32(-1),
    int16(0),
  ]),
);
const ROW = message(
  'D',
  Buffer.concat([int16(1), int32(StillServer.VALUE.length), Buffer.from(StillServer.VALUE)]),
);
const DONE = message('C', cString('SELECT 1'));

function message(type: string, body: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}
