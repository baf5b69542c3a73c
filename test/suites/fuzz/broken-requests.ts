/** Damage to a request's bytes, after which nobody promises an answer, only that the server bears it. */
import type { Random } from '../../support/random.ts';

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
