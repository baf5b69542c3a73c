/**
 * The lines of the access log, from the rows of a batch (docs/settings.md has their fields).
 *
 * Written as bytes, by hand: as text a line takes several times as long, most of it to join the text and to encode it,
 * and the processor is the purchases' too. A part that is the same in many lines is made once a batch.
 */
import { PER_MS, PREFIX, requestTimeMs } from '../engine/request-number.ts';
import {
  ACCOUNT,
  type AccessRows,
  ADDRESS,
  BYTES,
  COLUMNS,
  DURATION_MS,
  LISTENER,
  METHOD,
  NONE,
  OPERATOR,
  PATH,
  REQUEST_NUMBER,
  ROUTE,
  STARTED_MS,
  STATUS,
} from './access-batch.ts';
import { LineBytes } from './line-bytes.ts';

/** Most batches fit. */
const FIRST_BYTES = 512 * 1024;
/** The names and numbers of a line take fewer. */
const FIXED_BYTES = 512;
const MICROS_PER_MS = 1_000;
/** A batch has fewer: four of a row. */
const MOST_TEXTS = 16_384;
const MOST_STATUS = 1_000;

const TIME_IS = Buffer.from('{"time":');
const REQUEST_IS = Buffer.from(`,"requestId":"${PREFIX}`);
const COUNT_IS = Buffer.from('_');
const POINT = Buffer.from('.');
const BYTES_ARE = Buffer.from(',"bytes":');
const ACCOUNT_IS = Buffer.from(',"accountId":');
const PATH_IS = Buffer.from(',"path":');
const OPERATOR_IS = Buffer.from(',"operator":');
const ADDRESS_IS = Buffer.from(',"address":');
const END = Buffer.from('}\n');

export class AccessLines {
  readonly #out = new LineBytes(FIRST_BYTES);
  #texts: readonly string[] = [];
  /** Texts of this batch as JSON, by their places. */
  #json: (Buffer | undefined)[] = [];
  /** The parts of this batch's lines that say listener, method, route and status, by a number made of all four. */
  readonly #calls = new Map<number, Buffer>();

  /** The lines of a batch. The memory of the result is used anew by the next call. */
  of({ numbers, texts, originMs }: AccessRows): Uint8Array {
    this.#out.clear();
    this.#texts = texts;
    this.#json = [];
    this.#calls.clear();
    for (let at = 0; at < numbers.length; at += COLUMNS) this.#line(numbers, at, originMs);
    return this.#out.written;
  }

  #line(numbers: Float64Array, at: number, originMs: number): void {
    const out = this.#out;
    const requestNumber = numbers[at + REQUEST_NUMBER] ?? 0;
    const micros = Math.round((numbers[at + DURATION_MS] ?? 0) * MICROS_PER_MS);
    const ms = Math.floor(micros / MICROS_PER_MS);
    const accountId = numbers[at + ACCOUNT] ?? 0;
    out.makeRoom(FIXED_BYTES);
    out.put(TIME_IS);
    out.number(Math.round(originMs + (numbers[at + STARTED_MS] ?? 0)));
    out.put(REQUEST_IS);
    out.number(requestTimeMs(requestNumber));
    out.put(COUNT_IS);
    out.number(requestNumber % PER_MS);
    this.#putWithRoom(this.#callOf(numbers, at));
    out.number(ms);
    out.put(POINT);
    out.digits(micros - ms * MICROS_PER_MS, 3);
    out.put(BYTES_ARE);
    out.number(numbers[at + BYTES] ?? 0);
    this.#field(PATH_IS, numbers[at + PATH] ?? 0);
    if (accountId !== 0) {
      out.put(ACCOUNT_IS);
      out.number(accountId);
    }
    this.#field(OPERATOR_IS, numbers[at + OPERATOR] ?? 0);
    this.#field(ADDRESS_IS, numbers[at + ADDRESS] ?? 0);
    out.put(END);
  }

  /** Left out when there is none. */
  #field(is: Uint8Array, place: number): void {
    if (place === NONE) return;
    this.#out.put(is);
    this.#putWithRoom(this.#jsonOf(place));
  }

  #putWithRoom(part: Uint8Array): void {
    this.#out.makeRoom(part.length + FIXED_BYTES);
    this.#out.put(part);
  }

  #callOf(numbers: Float64Array, at: number): Buffer {
    const listener = numbers[at + LISTENER] ?? 0;
    const method = numbers[at + METHOD] ?? 0;
    const route = numbers[at + ROUTE] ?? 0;
    const status = numbers[at + STATUS] ?? 0;
    const key = ((listener * MOST_TEXTS + method) * MOST_TEXTS + route) * MOST_STATUS + status;
    const known = this.#calls.get(key);
    if (known !== undefined) return known;
    const form = route === NONE ? '' : `,"route":${this.#jsonOf(route)}`;
    const end = status === 0 ? '"aborted":true' : `"status":${status}`;
    const call = Buffer.from(
      `","listener":${this.#jsonOf(listener)},"method":${this.#jsonOf(method)}${form},${end},"durationMs":`,
    );
    this.#calls.set(key, call);
    return call;
  }

  #jsonOf(place: number): Buffer {
    const json = this.#json[place] ?? Buffer.from(JSON.stringify(this.#texts[place]));
    this.#json[place] = json;
    return json;
  }
}
