/**
 * What the scripted server does with a request, as the table says it: a word such as `breakOff`, an error such as
 * `429 RATE_LIMITED 7` (seconds of Retry-After; `@12000`: a date, as many ms after `CLOCK_MS`), a proxy's `page 502`, or
 * a row with fields.
 */
import {
  breakOff,
  garbage,
  halfAnd,
  json,
  neverAnswer,
  proxyPage,
  refusal,
  type Step,
} from '../scripted-server.ts';

export type StepRow = string | Readonly<Record<string, unknown>>;

/** When a driver's clock begins. */
export const CLOCK_MS = 1_700_000_000_000;

export const ORDER = {
  success: true,
  orderId: 41,
  status: 'completed',
  productId: 7,
  quantity: 2,
  totalPriceUsdt: 7,
  createdAt: CLOCK_MS,
  delivery: { items: ['a', 'ü "b"'] },
  balanceAfterUsdt: 0.1,
  requestId: 'req_2',
  fieldOfALaterVersion: { is: ['ignored'] },
};

export const FILE = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
const TRICKLE_MS = 20;

/** Whether a client's time ends by it: then its time is short. */
export function endsATime(row: StepRow): boolean {
  return /hang|trickle/.test(JSON.stringify(row));
}

/** `origins` are those of the nodes. */
export function stepOf(row: StepRow, origins: readonly string[]): Step {
  if (typeof row !== 'string') return ofRow(row, origins);
  const [first = '', second = '', third] = row.split(' ');
  if (row === 'placed') return json(201, ORDER);
  if (row === 'breakOff') return breakOff;
  if (row === 'garbage') return garbage;
  if (row === 'hang') return neverAnswer;
  if (row === 'trickle') return trickle;
  if (row === 'half break off') return halfAnd('break off', 201, ORDER);
  if (row === 'half hang') return halfAnd('hang', 201, ORDER);
  if (row === 'half complete') return halfAnd('look complete', 201, ORDER);
  if (first === 'page') return proxyPage(Number(second), retryAfter(third));
  if (first === 'order') return json(200, { ...ORDER, status: second });
  if (/^\d{3} [A-Z_]+/.test(row)) return refusal(Number(first), second, retryAfter(third));
  throw new Error(`no step is called ${row}`);
}

function ofRow(row: Readonly<Record<string, unknown>>, origins: readonly string[]): Step {
  const { status = 200, body, text, file, events, raw, refusal: refused, page, location, leader, more } = row;
  if (body !== undefined) return json(Number(status), body as object);
  if (file !== undefined) return serves(file as FileStep);
  if (raw !== undefined) return json(200, pageOf(raw as readonly { readonly eventId: string }[], row));
  if (events !== undefined) return json(200, pageOf((events as readonly number[]).map(eventOf), row));
  if (page !== undefined) return proxyPage(Number(page), { location: `${origins[Number(location)]}/orders` });
  if (text !== undefined) {
    return (response) => {
      response.writeHead(Number(status), { 'content-type': 'application/json' });
      response.end(text);
    };
  }
  const [httpStatus = '', code = '', seconds] = String(refused).split(' ');
  const url = typeof leader === 'number' ? origins[leader] : leader;
  const named = 'leader' in row ? { leader: url === null ? null : { node: 'x', url } } : {};
  return refusal(Number(httpStatus), code, retryAfter(seconds), { ...(more as object), ...named });
}

function retryAfter(text: string | undefined): Record<string, string> {
  if (text === undefined) return {};
  const date = () => new Date(CLOCK_MS + Number(text.slice(1))).toUTCString();
  return { 'retry-after': text.startsWith('@') ? date() : text };
}

function eventOf(number: number) {
  return {
    orderId: 100 + number,
    eventId: `evt_${number}`,
    type: 'order.completed',
    createdAt: CLOCK_MS + number,
  };
}

function pageOf(
  events: readonly { readonly eventId: string }[],
  row: Readonly<Record<string, unknown>>,
): object {
  const last = 'last' in row ? row.last : events.at(-1)?.eventId;
  return { success: true, events, lastEventId: last, hasMore: row.hasMore === true, requestId: 'req_3' };
}

/** A byte now and then, for ever: each piece comes in time, and the answer as a whole doesn't. */
const trickle: Step = (response, _request, timeOut) => {
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': 1_000_000 });
  const timer = setInterval(() => response.write(' '), TRICKLE_MS);
  response.on('close', () => clearInterval(timer));
  response.write('{', () => timeOut());
};

interface FileStep {
  readonly untilByte?: number;
  readonly etag?: string | null;
  readonly ignoresRange?: boolean;
  readonly ending?: 'hang';
}

/**
 * The file, or the rest of it that is asked for, but only up to `untilByte`. When it hangs then, the driver ends the time:
 * all that was sent has to have arrived.
 */
function serves({ untilByte = FILE.length, etag = '"the-file"', ignoresRange, ending }: FileStep): Step {
  return (response, { headers }) => {
    const asked = ignoresRange ? undefined : /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1];
    const start = Number(asked ?? 0);
    response.writeHead(asked === undefined ? 200 : 206, {
      'content-type': 'application/pdf',
      'content-length': FILE.length - start,
      ...(etag === null ? {} : { etag }),
      ...(asked === undefined ? {} : { 'content-range': `bytes ${start}-${FILE.length - 1}/${FILE.length}` }),
    });
    response.flushHeaders();
    response.write(FILE.subarray(start, untilByte), () => {
      if (untilByte === FILE.length) response.end();
      else if (ending !== 'hang') response.socket?.destroy();
    });
  };
}
