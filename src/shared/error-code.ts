/**
 * Codes of errors: why the system, a library or a server refused something.
 *
 * An error that somebody made of another one has that as its cause, and `fetch` makes a list of what several addresses
 * said. Callers choose whether those count: `codeOf` gives the error's own code, `innerCodeOf` also theirs.
 */
import { getSystemErrorName } from 'node:util';

/** Errors that are their own causes' causes end somewhere, too. */
const MOST_CAUSES = 8;

/** LMDB gives the system's number in place of its name, and negative ones of its own, which have no name here. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  // Numbers of a `DOMException`, as that of a broken off `fetch`, are not the system's.
  if (typeof code === 'number' && code > 0 && !(error instanceof DOMException))
    return getSystemErrorName(-code);
  return typeof code === 'string' ? code : undefined;
}

/** The first code on the way from an error to what caused it. */
export function innerCodeOf(error: unknown): string | undefined {
  for (const each of withCauses(error)) {
    const code = codeOf(each);
    if (code !== undefined) return code;
  }
  return undefined;
}

/** An error, its cause, and so on: the innermost last. */
export function* withCauses(error: unknown): Generator<unknown, void> {
  let each = error;
  for (let depth = 0; each !== undefined && depth < MOST_CAUSES; depth += 1) {
    yield each;
    if (!(each instanceof Error)) return;
    each = each instanceof AggregateError ? each.errors[0] : each.cause;
  }
}
