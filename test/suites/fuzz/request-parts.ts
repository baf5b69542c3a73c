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
