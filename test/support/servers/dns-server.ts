/**
 * A DNS server on loopback that says what the test wants: addresses, aliases, failures, nothing, or something else each
 * time. The server speaks UDP, and TCP on the same port for answers over 512 bytes, as real servers do, so that the
 * resolver under test goes every way that it has. Give `address` to `--dns-server`.
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface DnsRecord {
  readonly type: 'A' | 'AAAA' | 'CNAME';
  /** An address, or for CNAME the name that the records after it belong to. */
  readonly data: string;
  /** Default 60. */
  readonly ttlSeconds?: number;
}

/** To a question for A and for AAAA those of the records that belong to it, with every CNAME. */
export type DnsReply = readonly DnsRecord[] | 'no-such-name' | 'server-failure' | 'silence';

export interface DnsQuestion {
  readonly type: 'A' | 'AAAA';
  /** How often this name was asked for this type, this time included. */
  readonly count: number;
}

export type DnsScript = DnsReply | ((question: DnsQuestion) => DnsReply | Promise<DnsReply>);

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;
const CODES = { 'no-such-name': 3, 'server-failure': 2 } as const;
const HEADER_BYTES = 12;
const MAX_UDP_BYTES = 512;
const TRUNCATED = 0x02;

export class DnsServer {
  /** `127.0.0.1:PORT`. */
  readonly address: string;
  readonly #udp: UdpSocket;
  readonly #tcp: Server;
  readonly #scripts = new Map<string, DnsScript>();
  readonly #counts = new Map<string, number>();
  #isStopped = false;

  private constructor(udp: UdpSocket, tcp: Server) {
    this.#udp = udp;
    this.#tcp = tcp;
    this.address = `127.0.0.1:${udp.address().port}`;
    udp.on('message', (message, { address, port }) => {
      void this.#answer(message, MAX_UDP_BYTES).then((reply) => {
        if (reply !== undefined && !this.#isStopped) udp.send(reply, port, address);
      });
    });
    tcp.on('connection', (socket) => this.#serve(socket));
  }

  static async start(): Promise<DnsServer> {
    for (;;) {
      const udp = createSocket('udp4');
      await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
      const tcp = createServer();
      try {
        await Promise.all([once(tcp, 'listening'), tcp.listen(udp.address().port, '127.0.0.1')]);
        return new DnsServer(udp, tcp);
      } catch {
        // Somebody has this port for TCP.
        udp.close();
      }
    }
  }

  /** Sets the answers for `name` from now on. Names never set don't exist. */
  set(name: string, script: DnsScript): void {
    this.#scripts.set(name.toLowerCase(), script);
  }

  /** How often `name` was asked for `type`. */
  count(name: string, type: 'A' | 'AAAA'): number {
    return this.#counts.get(`${type} ${name}`) ?? 0;
  }

  stop(): void {
    this.#isStopped = true;
    this.#udp.close();
    this.#tcp.close();
  }

  #serve(socket: Socket): void {
    let received = Buffer.alloc(0);
    socket.unref();
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      void this.#answer(received.subarray(2), 0xffff).then((reply) => {
        if (reply !== undefined) socket.end(Buffer.concat([uint16(reply.length), reply]));
      });
    });
  }

  async #answer(message: Buffer, maxBytes: number): Promise<Buffer | undefined> {
    const question = questionOf(message);
    if (question === undefined) return undefined;
    const { name, type, bytes } = question;
    const key = `${type} ${name}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    const script = this.#scripts.get(name) ?? 'no-such-name';
    const reply = typeof script === 'function' ? await script({ type, count }) : script;
    if (reply === 'silence') return undefined;
    if (typeof reply === 'string') return response(message, CODES[reply], 0, bytes, []);
    const records = recordsOf(
      name,
      reply.filter((record) => record.type === type || record.type === 'CNAME'),
    );
    const whole = response(message, 0, 0, bytes, records);
    return whole.length <= maxBytes ? whole : response(message, 0, TRUNCATED, bytes, []);
  }
}

/** The one question of a message, its name in lower case: c-ares mixes the case of what it asks. */
function questionOf(message: Buffer): { name: string; type: 'A' | 'AAAA'; bytes: Buffer } | undefined {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at]; length !== undefined && length > 0; length = message[at]) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const code = message.readUInt16BE(at + 1);
  const bytes = message.subarray(HEADER_BYTES, at + 5);
  const name = labels.join('.').toLowerCase();
  if (code === TYPES.A) return { name, type: 'A', bytes };
  return code === TYPES.AAAA ? { name, type: 'AAAA', bytes } : undefined;
}

function response(
  query: Buffer,
  code: number,
  flags: number,
  question: Buffer,
  records: readonly Buffer[],
): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  header[2] = 0x81 | flags;
  header[3] = 0x80 | code;
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question, ...records]);
}

function recordsOf(name: string, records: readonly DnsRecord[]): Buffer[] {
  let owner = name;
  return records.map(({ type, data, ttlSeconds = 60 }) => {
    const content = type === 'CNAME' ? nameBytes(data) : Uint8Array.from(ipaddr.parse(data).toByteArray());
    const fixed = Buffer.alloc(10);
    fixed.writeUInt16BE(TYPES[type], 0);
    fixed.writeUInt16BE(1, 2);
    fixed.writeUInt32BE(ttlSeconds, 4);
    fixed.writeUInt16BE(content.length, 8);
    const record = Buffer.concat([nameBytes(owner), fixed, content]);
    if (type === 'CNAME') owner = data;
    return record;
  });
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(label, 'latin1'));
  return Buffer.concat([
    ...labels.flatMap((label) => [Uint8Array.of(label.length), label]),
    Uint8Array.of(0),
  ]);
}

function uint16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value & 0xff);
}
