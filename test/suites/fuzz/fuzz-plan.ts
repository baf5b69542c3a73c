/** The request number `n` of a seed, and the outcome that it must have: the same each time it is asked for. */
import { Random } from '../../support/random.ts';
import { DAMAGES } from './broken-requests.ts';
import {
  bytesOf,
  CHANGES,
  fitsUws,
  type Known,
  type RequestBytes,
  type RequestParts,
  sensibleRequest,
} from './valid-requests.ts';

export interface PlannedRequest {
  /** Tells a reply to HEAD, which has no body. */
  readonly method: string;
  /** The bytes of the request, cut where one write ends and the next begins. */
  readonly pieces: readonly Buffer[];
  /** The request is valid HTTP that this transport speaks: it must get the envelope. */
  readonly valid: boolean;
  /** The client wants the connection closed after the reply. */
  readonly closes: boolean;
  /** The changes of a sensible request. */
  readonly how: readonly string[];
}

const MAX_CHANGES = 4;
const MAX_CUTS = 6;

export function planRequest(seed: number, n: number, transport: string, known: Known): PlannedRequest {
  const random = new Random(seed + Math.imul(n, 0x9e3779b1));
  const parts = sensibleRequest(random, known);
  const changes = random.sample(CHANGES, random.between(0, MAX_CHANGES));
  for (const [, apply] of changes) apply(parts, random, known);
  const how = changes.map(([name]) => name);
  if (random.chance(0.65)) return validRequest(parts, how, transport, random);
  return brokenRequest(parts, how, random);
}

function validRequest(
  parts: RequestParts,
  how: readonly string[],
  transport: string,
  random: Random,
): PlannedRequest {
  const request = bytesOf(parts);
  const mayCut = (at: number) => transport !== 'uws' || uwsBearsCut(request, parts.method, at);
  const pieces = cutUp(request.bytes, random, mayCut);
  return {
    method: parts.method,
    pieces,
    valid: transport !== 'uws' || fitsUws(request),
    closes: parts.headers.some(([name, value]) => /^connection$/i.test(name) && /^\s*close\s*$/i.test(value)),
    how,
  };
}

function brokenRequest(parts: RequestParts, how: readonly string[], random: Random): PlannedRequest {
  const damages = random.sample(DAMAGES, random.between(1, 2));
  let { bytes } = bytesOf(parts);
  for (const [, apply] of damages) bytes = bytes.byteLength === 0 ? bytes : apply(bytes, random);
  const pieces = cutUp(bytes, random, () => true);
  return {
    method: parts.method,
    pieces,
    valid: false,
    closes: true,
    how: [...how, ...damages.map(([name]) => name)],
  };
}

/** uWebSockets.js takes a segment that ends behind the method, or in the first line's version, for no HTTP. */
function uwsBearsCut({ lineBytes }: RequestBytes, method: string, at: number): boolean {
  return at !== method.length + 1 && (at < lineBytes - ' HTTP/1.1\r'.length || at >= lineBytes);
}

function cutUp(bytes: Buffer, random: Random, mayCut: (at: number) => boolean): Buffer[] {
  const cuts = random.chance(0.4)
    ? []
    : Array.from({ length: random.between(1, MAX_CUTS) }, () => random.between(0, bytes.byteLength)).filter(
        mayCut,
      );
  const ends = [...cuts.sort((a, b) => a - b), bytes.byteLength];
  let from = 0;
  return ends.map((end) => {
    const piece = bytes.subarray(from, end);
    from = end;
    return piece;
  });
}
