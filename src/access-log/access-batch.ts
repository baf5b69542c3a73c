/**
 * Requests on their way to the thread of the access log: a row of numbers for each, and texts that rows name by their
 * place. The main thread makes no JSON: a row costs it a dozen stores, a line ten times as much.
 *
 * Invariant: a batch holds at most `MAX_ROWS` rows, and the texts of at most `MAX_CHARACTERS` characters and of one row
 * more.
 */
import { requestNumberOf } from '../engine/request-number.ts';
import type { EndedRequest } from '../http/transport/transport.ts';

/** The places of a row's numbers. The numbers from `LISTENER` on are places of texts. */
export const STARTED_MS = 0;
export const DURATION_MS = 1;
export const REQUEST_NUMBER = 2;
export const STATUS = 3;
export const BYTES = 4;
export const ACCOUNT = 5;
export const LISTENER = 6;
export const METHOD = 7;
export const ROUTE = 8;
export const PATH = 9;
export const OPERATOR = 10;
export const ADDRESS = 11;
export const COLUMNS = 12;

/** The text that stands for none. */
export const NONE = 0;

export const MAX_ROWS = 2_048;
const MAX_CHARACTERS = 64 * 1024;
/** The longest path in a line, in characters; a longer one is cut. A client may send 16 KiB. */
const LONGEST_PATH = 1_024;
const LONGEST_METHOD = 32;

/** A batch in the form in which it goes to the thread. */
export interface AccessRows {
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly texts: readonly string[];
  /** Unix milliseconds at which the clock of `STARTED_MS` was 0. */
  readonly originMs: number;
}

export class AccessBatch {
  readonly #numbers = new Float64Array(MAX_ROWS * COLUMNS);
  #rows = 0;
  #texts: string[] = [''];
  /** The places of texts that come again and again. */
  readonly #places = new Map<string, number>();
  #characters = 0;

  get rows(): number {
    return this.#rows;
  }

  get isFull(): boolean {
    return this.#rows === MAX_ROWS || this.#characters >= MAX_CHARACTERS;
  }

  /** Adds a row. The batch must not be full. */
  add(
    listener: string,
    request: EndedRequest,
    status: number,
    bytes: number,
    startedMs: number,
    durationMs: number,
  ): void {
    const { method, route, path, operator, clientAddress } = request;
    const numbers = this.#numbers;
    const at = this.#rows * COLUMNS;
    this.#rows += 1;
    numbers[at + STARTED_MS] = startedMs;
    numbers[at + DURATION_MS] = durationMs;
    numbers[at + REQUEST_NUMBER] = requestNumberOf(request.requestId);
    numbers[at + STATUS] = status;
    numbers[at + BYTES] = bytes;
    numbers[at + ACCOUNT] = request.accountId;
    numbers[at + LISTENER] = this.#placeOf(listener);
    numbers[at + METHOD] = this.#placeOf(
      method.length > LONGEST_METHOD ? method.slice(0, LONGEST_METHOD) : method,
    );
    numbers[at + ROUTE] = this.#placeOf(route);
    numbers[at + PATH] = path === route ? NONE : this.#append(path.slice(0, LONGEST_PATH));
    numbers[at + OPERATOR] = this.#placeOf(operator);
    numbers[at + ADDRESS] = this.#placeOf(clientAddress);
  }

  /** The batch's rows and texts. The batch is empty then. */
  take(originMs: number): AccessRows {
    const numbers = this.#numbers.slice(0, this.#rows * COLUMNS);
    const texts = this.#texts;
    this.#rows = 0;
    this.#texts = [''];
    this.#places.clear();
    this.#characters = 0;
    return { numbers, texts, originMs };
  }

  #placeOf(text: string): number {
    if (text === '') return NONE;
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    const place = this.#append(text);
    this.#places.set(text, place);
    return place;
  }

  #append(text: string): number {
    this.#characters += text.length;
    return this.#texts.push(text) - 1;
  }
}
