/** Damage to a request's bytes, after which nobody promises an answer, only that the server bears it. */
import type { Random } from '../../support/random.ts';
import { bytesOf, type RequestParts } from './request-parts.ts';

type Damage = (bytes: Buffer, random: Random) => Buffer;

function splice(bytes: Buffer, at: number, removed: number, inserted: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]);
}

/** Damage is likelier where it matters: in the head. */
function place(bytes: Buffer, random: Random): number {
  const head = bytes.indexOf('\r\n\r\n');
  return random.between(0, random.chance(0.7) && head > 0 ? head + 3 : bytes.byteLength - 1);
}

function noise(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.between(0, 255)));
}

function inFrontOfHeaders(bytes: Buffer, lines: string): Buffer {
  const at = bytes.indexOf('\r\n');
  return at === -1 ? bytes : splice(bytes, at + 2, 0, Buffer.from(lines, 'latin1'));
}

export const DAMAGES: readonly [name: string, apply: Damage][] = Object.entries<Damage>({
  'other bytes': (bytes, random) => {
    const damaged = Buffer.from(bytes);
    for (let i = random.between(1, 5); i > 0; i -= 1) damaged[place(bytes, random)] = random.between(0, 255);
    return damaged;
  },
  'noise within': (bytes, random) =>
    splice(bytes, place(bytes, random), 0, noise(random, random.between(1, 50))),
  'a piece missing': (bytes, random) =>
    splice(bytes, place(bytes, random), random.between(1, 40), Buffer.alloc(0)),
  'a piece twice': (bytes, random) => {
    const at = place(bytes, random);
    return splice(bytes, at, 0, bytes.subarray(at, at + random.between(1, 200)));
  },
  'the end missing': (bytes, random) => bytes.subarray(0, place(bytes, random)),
  'bare line feeds': (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
  'only noise': (_bytes, random) => noise(random, random.between(1, 3_000)),
  'another HTTP version': (bytes, random) =>
    replaced(bytes, 'HTTP/1.1', random.pick(['HTTP/2.0', 'HTTP/1.9', 'X'])),
  'a second Content-Length': (bytes, random) =>
    inFrontOfHeaders(bytes, `Content-Length: ${random.between(0, 500)}\r\n`),
  'a coding besides chunked': (bytes) => inFrontOfHeaders(bytes, 'Transfer-Encoding: gzip, chunked\r\n'),
  'a control character': (bytes, random) =>
    inFrontOfHeaders(bytes, `x: a${String.fromCharCode(random.between(0, 8))}b\r\n`),
  'a folded header': (bytes) => inFrontOfHeaders(bytes, 'x: a\r\n  b\r\n'),
  'a head without end': (bytes, random) =>
    inFrontOfHeaders(bytes, `${'x: y\r\n'.repeat(random.between(1, 9_000))}`),
  'noise behind': (bytes, random) => Buffer.concat([bytes, noise(random, random.between(1, 300))]),
});

function replaced(bytes: Buffer, what: string, by: string): Buffer {
  return Buffer.from(
    bytes.toString('latin1').replace(what, () => by),
    'latin1',
  );
}

/**
 * Valid HTTP that uWebSockets.js doesn't speak (docs/http.md). node:http answers these in the envelope, apart
 * from the second request of two at once.
 */
type Stranger = (parts: RequestParts) => Buffer;

export const STRANGERS: readonly [name: string, bytesOf: Stranger][] = Object.entries<Stranger>({
  'an empty line in front': (parts) => Buffer.concat([Buffer.from('\r\n'), bytesOf(parts).bytes]),
  'HTTP/1.0': (parts) => replaced(bytesOf({ ...parts, chunkSizes: undefined }).bytes, 'HTTP/1.1', 'HTTP/1.0'),
  'a whole URL': (parts) => bytesOf({ ...parts, target: `http://purser.test${parts.target}` }).bytes,
  'the target *': (parts) => bytesOf({ ...parts, method: 'OPTIONS', target: '*' }).bytes,
  CONNECT: (parts) => bytesOf({ ...parts, method: 'CONNECT', target: 'purser.test:443' }).bytes,
  'a chunk extension': (parts) =>
    replaced(
      bytesOf({ ...parts, body: Buffer.from('{}'), chunkSizes: [2] }).bytes,
      '\r\n2\r\n',
      '\r\n2;a=b\r\n',
    ),
  trailers: (parts) =>
    replaced(
      bytesOf({ ...parts, body: Buffer.from('{}'), chunkSizes: [2] }).bytes,
      '\r\n0\r\n',
      '\r\n0\r\nx: y\r\n',
    ),
  'two requests at once': (parts) => Buffer.concat([bytesOf(parts).bytes, bytesOf(parts).bytes]),
});
