/**
 * The bodies that operators send: JSON as buyers send it, and stricter in two ways.
 *
 * A field that the schema doesn't know is refused, at every depth: what an operator misspells would otherwise be
 * lost without a word (buyers' bodies may have more fields, for their programs may be newer than the server).
 * And every text is valid Unicode: half a surrogate pair, which JSON can escape and UTF-8 can't say, would be
 * stored as another character than was sent. Both hold for all routes, because routes of operators make their bodies here.
 *
 * Invariant: the main thread works at a body for a few milliseconds at a time. A call that says more than buyers' do
 * has a limit of its own, and its body has few values; texts of items are read in slices.
 */
import { MAX_REASON_LENGTH } from '../../engine/limits.ts';
import { ListedJsonError, readListedJson } from '../../shared/listed-json.ts';
import { Slices } from '../../shared/slices.ts';
import { badRequest } from '../errors.ts';
import {
  type CheckedBody,
  type JsonBody,
  jsonBody,
  MAX_BODY_BYTES,
  NOT_JSON,
  type ParsedBody,
} from '../json-body.ts';
import type { JsonSchema, TypeOf } from '../schemas/json-schema.ts';

/** Longest body of a product: all its texts with every letter escaped. */
export const MAX_PRODUCT_BODY_BYTES = 256 * 1024;
/** Longest body of a call with the places of 10,000 items. */
export const MAX_PLACES_BODY_BYTES = 128 * 1024;
/** The limit of a body with texts of items; larger stock goes as text/plain, which has no bound. */
export const MAX_ITEMS_BODY_BYTES = 8 * 1024 * 1024;

/** The field of a body, or of a query without one, that says why the operator does this. The reason goes into the facts. */
export const REASON = {
  reason: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_REASON_LENGTH,
    description: 'Why. It is kept with the change, for ever.',
  },
} as const;

type Properties = Readonly<Record<string, JsonSchema>>;
type BodyOf<Named extends Properties, Required extends string> = TypeOf<{
  readonly type: 'object';
  readonly properties: Named;
  readonly required: readonly Required[];
}> & { readonly reason?: string };

/** An object of these properties. */
export function operatorBody<Named extends Properties, Required extends keyof Named & string = never>(
  properties: Named,
  required: readonly Required[] = [],
  maxBytes = MAX_BODY_BYTES,
): CheckedBody<BodyOf<Named, Required>> {
  const schema = closed({ type: 'object', properties: { ...properties, ...REASON }, required }) as JsonSchema;
  const json = jsonBody<BodyOf<Named, Required>>(schema, maxBytes);
  return {
    ...json,
    parse: (bytes) => wellFormed(json.parse(bytes)),
    check: (value) => wellFormed(json.check(value)),
  };
}

/** An object with texts of items, of which there may be many. Their schema says nothing but how many. */
export function itemsBody<Named extends Properties & { readonly items: JsonSchema }>(
  properties: Named,
  required: readonly ('items' & keyof Named)[] = [],
): JsonBody<BodyOf<Named, 'items'>> {
  const body = operatorBody<Named, 'items'>(properties, required, MAX_ITEMS_BODY_BYTES);
  const { maxItems } = properties.items as { readonly maxItems?: number };
  return {
    ...body,
    parseInSlices: async (bytes) => {
      try {
        const { fields, texts } = await readListedJson(bytes, 'items', maxItems);
        const parsed = body.check(fields);
        if ('error' in parsed || texts.length === 0) return parsed;
        const place = await firstIllFormed(texts);
        return place < 0 ? { body: { ...parsed.body, items: texts } } : notUnicode(`items.${place}`);
      } catch (error) {
        if (error instanceof ListedJsonError) return { error: badRequest(`${error.message}.`) };
        if (error instanceof SyntaxError) return NOT_JSON;
        throw error;
      }
    },
  };
}

async function firstIllFormed(texts: readonly string[]): Promise<number> {
  const slices = new Slices();
  for (const [place, text] of texts.entries()) {
    if (!text.isWellFormed()) return place;
    if (place % 1_024 === 0 && slices.isFull) await slices.rest();
  }
  return -1;
}

function wellFormed<Body>(parsed: ParsedBody<Body>): ParsedBody<Body> {
  if ('error' in parsed) return parsed;
  const field = illFormedText(parsed.body, '');
  return field === undefined ? parsed : notUnicode(field);
}

function notUnicode(field: string) {
  return { error: badRequest(`${field} is not valid Unicode.`) };
}

/** A body as `operatorBody` makes it, where no body at all means `{}`. */
export function optionalBody<Named extends Properties>(
  properties: Named,
  maxBytes?: number,
): JsonBody<BodyOf<Named, never>> {
  return { ...operatorBody(properties, [], maxBytes), isOptional: true };
}

/** The body of a call without fields of its own. */
export function noFields(): JsonBody<BodyOf<Record<never, never>, never>> {
  return optionalBody({});
}

/**
 * The body of a DELETE. Its fields are in the query, and many clients send no body with it, so a body is refused rather
 * than lost.
 */
export const NO_BODY: JsonBody<unknown> = {
  maxBytes: MAX_BODY_BYTES,
  isOptional: true,
  isUntyped: true,
  parse: (bytes) => {
    const isEmpty =
      typeof bytes !== 'string' && /^\s*\{\s*\}\s*$/.test(Buffer.from(bytes).toString('latin1'));
    return isEmpty ? { body: undefined } : { error: UNREAD_BODY };
  },
};
const UNREAD_BODY = badRequest(
  'The body of a DELETE is not read: send none. Its fields go into the query, like ?reason=left.',
);

/** The schema, where no object may have a field that isn't named. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const fields = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  const isNamed = fields.type === 'object' && typeof fields.additionalProperties !== 'object';
  return isNamed ? { ...fields, additionalProperties: false } : fields;
}

/** The path of a text that has half a surrogate pair. A valid body is no deeper than its schema. */
function illFormedText(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, field] of Object.entries(value)) {
    const found = illFormedText(field, path === '' ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
