/** The lines of the access log, from the rows of a batch (docs/operator-guide.md has their fields). */
import { requestIdOf } from '../engine/request-number.ts';
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

const MICROS_PER_MS = 1_000;

export function linesOf({ numbers, texts, originMs }: AccessRows): string {
  const json: string[] = [];
  const text = (place: number): string => {
    json[place] ??= JSON.stringify(texts[place]);
    return json[place];
  };
  const field = (name: string, place: number): string => (place === NONE ? '' : `,"${name}":${text(place)}`);
  let lines = '';
  for (let at = 0; at < numbers.length; at += COLUMNS) {
    const number = (column: number): number => numbers[at + column] ?? 0;
    const accountId = number(ACCOUNT);
    const status = number(STATUS);
    lines +=
      `{"time":${Math.round(originMs + number(STARTED_MS))},"requestId":"${requestIdOf(number(REQUEST_NUMBER))}"` +
      `,"listener":${text(number(LISTENER))},"method":${text(number(METHOD))}` +
      field('route', number(ROUTE)) +
      field('path', number(PATH)) +
      (status === 0 ? ',"aborted":true' : `,"status":${status}`) +
      `,"durationMs":${Math.round(number(DURATION_MS) * MICROS_PER_MS) / MICROS_PER_MS},"bytes":${number(BYTES)}` +
      (accountId === 0 ? '' : `,"accountId":${accountId}`) +
      field('operator', number(OPERATOR)) +
      field('address', number(ADDRESS)) +
      '}\n';
  }
  return lines;
}
