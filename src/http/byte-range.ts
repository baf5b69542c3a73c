/**
 * The part of a body that a request wants: `Range`, `If-Range` and `If-None-Match` of RFC 9110, for a body with a
 * strong entity tag and no date.
 *
 * A range that is malformed or in another unit, and more than one range, get the whole body, as the RFC allows: several
 * ranges would need a multipart answer, which no download client asks for. Rejected: a package, which would bring the
 * syntax of a list and leave the conditions, the larger half.
 */

/** The headers that decide, as they were sent. */
export interface RangeConditions {
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** `end` is one past the last byte. */
export type BodyPart =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' }
  | { readonly kind: 'not-modified' };

const WHOLE: BodyPart = { kind: 'whole' };
const UNSATISFIABLE: BodyPart = { kind: 'unsatisfiable' };
const NOT_MODIFIED: BodyPart = { kind: 'not-modified' };

const ONE_RANGE = /^bytes=[\t ]*(\d*)-(\d*)[\t ]*$/i;

/** `etag` is quoted; `sizeBytes` is at least 1. */
export function choosePart(conditions: RangeConditions, etag: string, sizeBytes: number): BodyPart {
  const { range, ifRange, ifNoneMatch } = conditions;
  if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, etag)) return NOT_MODIFIED;
  if (range === undefined) return WHOLE;
  // A date never matches, since the body has none; nor does a weak tag.
  if (ifRange !== undefined && ifRange !== etag) return WHOLE;
  return parseRange(range, sizeBytes);
}

function parseRange(range: string, sizeBytes: number): BodyPart {
  const [, first, last] = ONE_RANGE.exec(range) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return WHOLE;
  if (first === '') {
    const suffixBytes = Number(last);
    if (suffixBytes === 0) return UNSATISFIABLE;
    return { kind: 'part', start: Math.max(0, sizeBytes - suffixBytes), end: sizeBytes };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return WHOLE;
  if (start >= sizeBytes) return UNSATISFIABLE;
  return { kind: 'part', start, end: last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) };
}

/** Whether a list of tags names this one; `If-None-Match` compares weakly. */
export function namesTag(list: string, etag: string): boolean {
  return list.split(',').some((listed) => {
    const tag = listed.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}
