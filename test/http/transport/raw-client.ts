/** An HTTP client over a bare socket: it sends what it is told, in the pieces it is told, and parses replies. */
import { connect, type Socket } from 'node:net';

export interface RawReply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly bytes: Buffer;
}

export class RawClient {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  /** Bytes that came and were not taken yet lie from 0 to `#length`; the room behind them doubles when it runs out. */
  #buffer: Buffer = Buffer.alloc(4096);
  #length = 0;
  #open = true;
  #changed: () => void = () => {};

  static async connect(port: number, host = '127.0.0.1'): Promise<RawClient> {
    const socket = connect({ port, host, noDelay: true });
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new RawClient(socket);
  }

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.#append(chunk);
      this.#changed();
    });
    // A reset is one way of closing; the tests look at what arrived before it.
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#open = false;
        this.#changed();
        resolve();
      });
    });
  }

  get receivedBytes(): number {
    return this.#length;
  }

  get received(): string {
    return this.#buffer.toString('latin1', 0, this.#length);
  }

  send(...pieces: string[]): void {
    for (const piece of pieces) this.socket.write(piece);
  }

  /** The next reply on this connection. Throws when the connection closes before the reply is complete. */
  async reply(method = 'GET'): Promise<RawReply> {
    for (;;) {
      const reply = this.#take(method);
      if (reply !== undefined) return reply;
      if (!this.#open) throw new Error(`closed after ${JSON.stringify(this.received.slice(0, 200))}`);
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  async request(method: string, path: string, body?: string): Promise<RawReply> {
    this.send(head(method, path, body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`]));
    if (body !== undefined) this.send(body);
    return this.reply(method);
  }

  close(): void {
    this.socket.destroy();
  }

  #append(chunk: Buffer): void {
    const length = this.#length + chunk.byteLength;
    if (length > this.#buffer.byteLength) {
      const grown = Buffer.allocUnsafe(2 * length);
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    chunk.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  #take(method: string): RawReply | undefined {
    const received = this.#buffer.subarray(0, this.#length);
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd === -1) return undefined;
    const [statusLine = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n');
    const headers = new Map(lines.map(parseHeader));
    const status = Number(statusLine.split(' ')[1]);
    const hasBody = method !== 'HEAD' && status !== 100;
    const isChunked = hasBody && headers.get('transfer-encoding') === 'chunked';
    const length = hasBody ? Number(headers.get('content-length') ?? 0) : 0;
    const body = isChunked ? unchunked(received, headEnd + 4) : plain(received, headEnd + 4, length);
    if (body === undefined) return undefined;
    const { bytes, end } = body;
    this.#buffer.copyWithin(0, end, this.#length);
    this.#length -= end;
    return {
      status,
      headers,
      bytes,
      get body() {
        return bytes.toString();
      },
    };
  }
}

interface Body {
  readonly bytes: Buffer;
  /** Where what follows it begins. */
  readonly end: number;
}

/** Undefined while it isn't whole, here and below. */
function plain(received: Buffer, from: number, length: number): Body | undefined {
  const end = from + length;
  return received.length < end ? undefined : { bytes: Buffer.from(received.subarray(from, end)), end };
}

/** HTTP's own chunks, without trailers. */
function unchunked(received: Buffer, from: number): Body | undefined {
  const chunks: Buffer[] = [];
  for (let at = from; ; ) {
    const lineEnd = received.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const length = Number.parseInt(received.toString('latin1', at, lineEnd), 16);
    const chunk = plain(received, lineEnd + 2, length);
    if (chunk === undefined || received.length < chunk.end + 2) return undefined;
    at = chunk.end + 2;
    if (length === 0) return { bytes: Buffer.concat(chunks), end: at };
    chunks.push(chunk.bytes);
  }
}

/** A request head, with the `host` header every request needs. */
export function head(method: string, path: string, headers: readonly string[] = []): string {
  return [`${method} ${path} HTTP/1.1`, 'host: test', ...headers, '', ''].join('\r\n');
}

function parseHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
