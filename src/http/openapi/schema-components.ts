/**
 * Gathers the schemas that have a title, and writes a schema as the document has it: the titled ones inside it as
 * references to the document's components.
 *
 * Invariant: no answer has a closed list of texts. Values may come within v1, and a program that was generated from the
 * document must not fail at one; the values that there are now stand beside it, as `KNOWN_VALUES`. A request keeps its
 * list, for the server refuses others.
 */
import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../schemas/json-schema.ts';

/** The extension by which documents of other APIs say the same; generators that don't know it read any text. */
const KNOWN_VALUES = 'x-extensible-enum';

export type Side = 'request' | 'answer';

export class SchemaComponents {
  readonly #byTitle = new Map<string, { readonly source: JsonSchema; readonly written: object }>();
  /** Many answers have one schema, such as that of errors. */
  readonly #known = { request: new Map<JsonSchema, object>(), answer: new Map<JsonSchema, object>() };

  /** Throws when two different schemas have one title, or both sides one schema that isn't the same for them. */
  reference(schema: JsonSchema, side: Side): object {
    const known = this.#known[side].get(schema) ?? this.#reference(schema, side);
    this.#known[side].set(schema, known);
    return known;
  }

  #reference(schema: JsonSchema, side: Side): object {
    const { title } = schema;
    const written = this.#write(schema, side);
    if (title === undefined) return written;
    const known = this.#byTitle.get(title);
    if (known === undefined) this.#byTitle.set(title, { source: schema, written });
    else if (!isDeepStrictEqual(known.source, schema) || !isDeepStrictEqual(known.written, written)) {
      throw new Error(`two schemas have the title ${title}`);
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  /** Every schema that was referred to, by title. */
  all(): Record<string, object> {
    const titles = [...this.#byTitle.keys()].sort();
    return Object.fromEntries(titles.map((title) => [title, this.#byTitle.get(title)?.written ?? {}]));
  }

  #write(schema: JsonSchema, side: Side): object {
    const { properties, items, anyOf, nullable, ...rest } = schema;
    const written: Record<string, unknown> = side === 'answer' ? opened(rest) : { ...rest };
    if (nullable) written.type = [rest.type, 'null'];
    if (properties !== undefined) {
      const entries = Object.entries(properties);
      written.properties = Object.fromEntries(
        entries.map(([name, value]) => [name, this.reference(value, side)]),
      );
    }
    if (items !== undefined) written.items = this.reference(items, side);
    if (anyOf !== undefined) {
      // A word that stands for a number, such as `unlimited`, is no list: open, it would be any text.
      const sideOf = ({ const: word }: JsonSchema) => (word === undefined ? side : 'request');
      written.anyOf = anyOf.map((value) => this.reference(value, sideOf(value)));
    }
    return written;
  }
}

function opened({ enum: values, ...rest }: JsonSchema): Record<string, unknown> {
  if (rest.type !== 'string') return { ...rest, ...(values && { enum: values }) };
  const { const: only, ...open } = rest;
  const known = only === undefined ? values : [only];
  return { ...open, ...(known && { [KNOWN_VALUES]: known }) };
}
