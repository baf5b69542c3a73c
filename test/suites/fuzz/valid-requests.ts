/**
 * Requests that are valid HTTP/1.1 by construction: a sensible request of the buyer's API, and changes to it
 * that RFC 9110 and 9112 allow, however strange they are.
 */
import type { Random } from '../../support/random.ts';

/** A request before it becomes bytes: as long as only its parts are changed, the bytes are valid HTTP/1.1. */
export interface RequestParts {
  method: string;
  target: string;
  /** Names and values as they go on the wire, latin1. Framing is not among them. */
  headers: [name: string, value: string][];
  body: Buffer | undefined;
  /** Sizes of the chunks in turn, when the body is sent in chunks. */
  chunkSizes: number[] | undefined;
}

/** Limits of uWebSockets.js that valid requests may exceed. */
const UWS_MAX_HEAD_BYTES = 16_384;
const UWS_MAX_HEADERS = 98;

export interface RequestBytes {
  readonly bytes: Buffer;
  /** Up to the first line's end. */
  readonly lineBytes: number;
  readonly headBytes: number;
  readonly headerCount: number;
}

export function bytesOf(parts: RequestParts): RequestBytes {
  const { method, target, body, chunkSizes } = parts;
  const line = `${method} ${target} HTTP/1.1\r\n`;
  const headers = [...parts.headers];
  if (body !== undefined) {
    headers.push(
      chunkSizes === undefined
        ? ['Content-Length', String(body.byteLength)]
        : ['Transfer-Encoding', 'chunked'],
    );
  }
  const head = Buffer.from(`${line}${headers.map(([n, v]) => `${n}:${v}\r\n`).join('')}\r\n`, 'latin1');
  const tail =
    body === undefined ? Buffer.alloc(0) : chunkSizes === undefined ? body : inChunks(body, chunkSizes);
  return {
    bytes: Buffer.concat([head, tail]),
    lineBytes: line.length,
    headBytes: head.byteLength,
    headerCount: headers.length,
  };
}

export function fitsUws({ headBytes, headerCount }: RequestBytes): boolean {
  return headBytes <= UWS_MAX_HEAD_BYTES && headerCount <= UWS_MAX_HEADERS;
}

function inChunks(body: Buffer, sizes: readonly number[]): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (let turn = 0; at < body.byteLength; turn += 1) {
    const chunk = body.subarray(at, at + (sizes[turn % sizes.length] ?? 1));
    pieces.push(Buffer.from(`${sizeLine(chunk.byteLength, turn)}\r\n`), chunk, Buffer.from('\r\n'));
    at += chunk.byteLength;
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}

/** Chunk sizes may be in capitals and begin with zeros. */
function sizeLine(bytes: number, turn: number): string {
  const hex = bytes.toString(16);
  if (turn % 3 === 0) return hex;
  return turn % 3 === 1 ? hex.toUpperCase() : `0${hex}`;
}

export interface Known {
  readonly apiKey: string;
  readonly productId: number;
  readonly orderId: number;
}

const BASE = '/api/v1/buyer';
const TOKEN_CHARS = "abcxyzABCXYZ0189!#$%&'*+-.^_`|~";
const PATH_CHARS = "abcXYZ019-._~!$&'()*+,;=:@/";
const MAX_BODY_BYTES = 65_536;

type Apply = (parts: RequestParts, random: Random, known: Known) => void;

/** A request as a buyer sends it. */
export function sensibleRequest(random: Random, known: Known): RequestParts {
  const purchase = random.chance(0.4);
  const headers: RequestParts['headers'] = [
    ['Host', ' purser.test'],
    ['X-API-Key', ` ${known.apiKey}`],
  ];
  if (!purchase) {
    const paths = ['/health', '/products', '/balance', `/orders/${known.orderId}`, '/webhook', '/nowhere'];
    const target = BASE + random.pick(paths);
    return { method: 'GET', target, headers, body: undefined, chunkSizes: undefined };
  }
  headers.push(['Idempotency-Key', ` ${textOf(random, TOKEN_CHARS, 20)}`]);
  headers.push(['Content-Type', ' application/json']);
  return {
    method: 'POST',
    target: `${BASE}/orders`,
    headers,
    body: Buffer.from(JSON.stringify({ productId: known.productId, expectedPriceUsdt: 3.5 })),
    chunkSizes: undefined,
  };
}

export function textOf(random: Random, chars: string, length: number): string {
  let text = '';
  for (let i = 0; i < length; i += 1) text += chars[random.between(0, chars.length - 1)];
  return text;
}

/** Visible characters, bytes beyond ASCII, spaces and tabs: all a header's value may hold. */
function fieldValue(random: Random, maxLength: number): string {
  const length = random.between(0, maxLength);
  let value = '';
  for (let i = 0; i < length; i += 1) {
    const kind = random.next();
    const code = kind < 0.8 ? random.between(0x21, 0x7e) : kind < 0.9 ? random.between(0x80, 0xff) : 0x20;
    value += kind > 0.98 ? '\t' : String.fromCharCode(code);
  }
  return value;
}

function setHeader(parts: RequestParts, name: string, value: string | null): void {
  parts.headers = parts.headers.filter(([known]) => known.toLowerCase() !== name.toLowerCase());
  if (value !== null) parts.headers.push([name, value]);
}

function randomJson(random: Random, depth: number): string {
  const kind = random.between(0, depth > 3 ? 5 : 7);
  if (kind === 0)
    return random.pick(['null', 'true', 'false', '""', '-0', '1e308', '1e999', '0.1', '01', 'NaN']);
  if (kind === 1) return String(random.between(-(2 ** 31), 2 ** 31));
  if (kind < 6) return JSON.stringify(textOf(random, 'aé€\u{1f600}"\\\0\n@', random.between(0, 30)));
  const values = Array.from({ length: random.between(0, 4) }, () => randomJson(random, depth + 1));
  if (kind === 6) return `[${values.join(',')}]`;
  const names = ['productId', 'quantity', 'expectedPriceUsdt', 'recipient', '__proto__', 'constructor', 'x'];
  return `{${values.map((value) => `"${random.pick(names)}":${value}`).join(',')}}`;
}

function randomBytes(random: Random, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i += 1) bytes[i] = random.between(0, 255);
  return bytes;
}

const BODIES: readonly ((random: Random, known: Known) => Buffer)[] = [
  (random) => Buffer.from(randomJson(random, 0)),
  (random) => randomBytes(random, random.between(0, 400)),
  () => Buffer.alloc(0),
  () => Buffer.from('['.repeat(5_000)),
  (random) => Buffer.alloc(random.pick([MAX_BODY_BYTES, MAX_BODY_BYTES + 1, 200_000]), ' '),
  (_random, { productId }) =>
    Buffer.from(`{"productId":${productId},"expectedPriceUsdt":3.5,"quantity":1e300}`),
  (_random, { productId }) => Buffer.from(`{"productId":${productId},"productId":9007199254740993}`),
  () => Buffer.from('{"__proto__":{"productId":1},"expectedPriceUsdt":3.5}'),
  () => Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]),
];

export const CHANGES: readonly [name: string, apply: Apply][] = Object.entries<Apply>({
  'another method': (parts, random) => {
    const known = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
    parts.method = random.chance(0.9)
      ? random.pick(known)
      : textOf(random, 'ABCXYZabc', random.between(1, 12));
  },
  'another path': (parts, random) => {
    const ids = ['0', '-1', '01', '1e3', '9007199254740993', '%31', '1/', '', '1/download', '..', '%2e%2e'];
    const length = random.chance(0.1) ? 8_000 : random.between(0, 60);
    parts.target = random.chance(0.5)
      ? `${BASE}/orders/${random.pick(ids)}`
      : `/${textOf(random, PATH_CHARS, length)}%${textOf(random, '0123456789abcdefABCDEF', 2)}`;
  },
  'a query': (parts, random) => {
    parts.target += `?${textOf(random, `${PATH_CHARS}?`, random.between(0, 40))}`;
  },
  'other credentials': (parts, random, { apiKey }) => {
    setHeader(parts, 'X-API-Key', random.pick([null, ' wrong', '', ` ${apiKey}x`, ` ${apiKey.slice(1)}`]));
    setHeader(
      parts,
      'Authorization',
      random.pick([null, ` Bearer ${apiKey}`, ' Bearer', ' Basic eDp5', ' bearer  x']),
    );
  },
  'another Idempotency-Key': (parts, random) => {
    const long = ` ${'k'.repeat(random.between(127, 300))}`;
    setHeader(parts, 'Idempotency-Key', random.pick([null, '', long, ` ${fieldValue(random, 40)}`]));
  },
  'another Content-Type': (parts, random) => {
    const types = [null, '', ' text/plain', ' APPLICATION/JSON;charset=x', ' application/jsonp', ' a'];
    setHeader(parts, 'Content-Type', random.pick(types));
  },
  'a Content-Encoding': (parts, random) =>
    setHeader(parts, 'Content-Encoding', random.pick([' gzip', ' br', ''])),
  'more headers': (parts, random) => {
    const count = random.chance(0.1) ? random.between(80, 120) : random.between(1, 12);
    for (let i = 0; i < count; i += 1) {
      const name = `x-${textOf(random, TOKEN_CHARS, random.between(1, 12))}`;
      parts.headers.push([name, ` ${fieldValue(random, 60)}`]);
    }
  },
  'a long header': (parts, random) =>
    parts.headers.push(['x-long', ` ${'x'.repeat(random.between(1_000, 17_000))}`]),
  'headers of other protocols': (parts, random) =>
    parts.headers.push(
      ...random.sample<[string, string]>(
        [
          ['Cookie', ' a=b; c=d'],
          ['TE', ' trailers'],
          ['Range', ' bytes=5-'],
          ['If-None-Match', ' "x"'],
          ['X-Forwarded-For', ' 10.0.0.1, 192.0.2.1'],
          ['Upgrade', ' websocket'],
          ['Origin', ' null'],
          ['X-Request-Id', ' mine'],
          ['X-HTTP-Method-Override', ' DELETE'],
        ],
        4,
      ),
    ),
  'another Connection': (parts, random) =>
    setHeader(parts, 'Connection', random.pick([' close', ' keep-alive', ' TE', ' Upgrade', ' x, y', ''])),
  'an expectation': (parts, random) =>
    parts.headers.push(['Expect', random.pick([' 100-continue', ' x', ''])]),
  'other white space': (parts, random) => {
    parts.headers = parts.headers.map(([name, value]) => [
      name,
      `${textOf(random, ' \t', random.between(0, 3))}${value.trim()}${textOf(random, ' \t', random.between(0, 3))}`,
    ]);
  },
  'names in another case': (parts, random) => {
    parts.headers = parts.headers.map(([name, value]) => [
      random.chance(0.5) ? name.toUpperCase() : name.toLowerCase(),
      value,
    ]);
  },
  'another order': (parts, random) => {
    parts.headers = random.sample(parts.headers, parts.headers.length);
  },
  'another body': (parts, random, known) => {
    parts.body = random.pick(BODIES)(random, known);
  },
  chunks: (parts, random) => {
    parts.body ??= Buffer.alloc(0);
    const smallest = parts.body.byteLength > 1_000 ? 500 : 1;
    parts.chunkSizes = Array.from({ length: 5 }, () => random.between(smallest, smallest + 700));
  },
});
