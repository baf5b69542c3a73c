/** A reply's status, as both servers write it. */
import { STATUS_CODES } from 'node:http';

const STATUS_LINES: readonly string[] = Array.from({ length: 600 }, (_, status) =>
  `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(),
);

/** `404 Not Found`, from a table: this runs for every reply. */
export function statusLine(status: number): string {
  return STATUS_LINES[status] ?? String(status);
}

/** Statuses that have no body and, since 304 would have to name the length of the 200, no `content-length`. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}
