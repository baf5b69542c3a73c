/** The parameters of a call of the Bot API: of its query, and of a body in any of the three forms that it takes. */
import type { IncomingMessage } from 'node:http';
import { jsonObject } from '../http-request.ts';
import { badRequest, Refusal } from './refusal.ts';

export interface Upload {
  readonly name: string;
  readonly bytes: Buffer;
}

const MAX_BYTES = 51 * 1024 * 1024;

export class Parameters {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #files: ReadonlyMap<string, Upload>;

  constructor(values: Readonly<Record<string, unknown>>, files: ReadonlyMap<string, Upload> = new Map()) {
    this.#values = values;
    this.#files = files;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return value === undefined || value === null ? undefined : String(value);
  }

  /** Undefined when there is none. */
  integer(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined || text === '') return undefined;
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw badRequest(`parameter ${name} is no integer`);
    return value;
  }

  /** An object or a list, which a form has as text. */
  json(name: string): unknown {
    const value = this.#values[name];
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value);
    } catch {
      throw badRequest(`object expected as ${name}`);
    }
  }

  /** A file of the form: the part of that name, or the one that `attach://` names. */
  file(name: string): Upload | undefined {
    const attached = /^attach:\/\/(.+)$/.exec(this.text(name) ?? '')?.[1];
    return this.#files.get(attached ?? name);
  }
}

export async function readParameters(request: IncomingMessage, url: URL): Promise<Parameters> {
  const query = Object.fromEntries(url.searchParams);
  const body = await readBody(request);
  const type = request.headers['content-type'] ?? '';
  if (body.length === 0) return new Parameters(query);
  if (type.startsWith('application/json'))
    return new Parameters({ ...query, ...jsonObject(body.toString()) });
  if (type.startsWith('application/x-www-form-urlencoded'))
    return new Parameters({ ...query, ...Object.fromEntries(new URLSearchParams(body.toString())) });
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/i.exec(type)?.[1];
  if (boundary === undefined) throw badRequest(`content type ${type} is not supported`);
  const values: Record<string, string> = {};
  const files = new Map<string, Upload>();
  for (const { name, file, bytes } of partsOf(body, boundary)) {
    if (file === undefined) values[name] = bytes.toString();
    else files.set(name, { name: file, bytes });
  }
  return new Parameters({ ...query, ...values }, files);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BYTES) throw new Refusal(413, 'Request Entity Too Large');
  }
  return Buffer.concat(chunks);
}

interface Part {
  readonly name: string;
  readonly file: string | undefined;
  readonly bytes: Buffer;
}

/** Lenient, as Telegram is: names may stand without quotes. */
function partsOf(body: Buffer, boundary: string): Part[] {
  // A character is a byte here.
  const [, ...pieces] = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`);
  return pieces.slice(0, -1).map((piece) => {
    const end = piece.indexOf('\r\n\r\n');
    const head = Buffer.from(piece.slice(0, end), 'latin1').toString();
    const [, name = ''] = /;\s*name="?([^";\r\n]*)/i.exec(head) ?? [];
    const file = /;\s*filename="?([^";\r\n]*)/i.exec(head)?.[1];
    return { name, file, bytes: Buffer.from(piece.slice(end + 4), 'latin1') };
  });
}
