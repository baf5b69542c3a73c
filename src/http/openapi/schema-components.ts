/**
 * Gathers the schemas that have a title, and writes a schema as the document has it: the titled ones inside it as
 * references to the document's components.
 */
import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../schemas/json-schema.ts';

export class SchemaComponents {
  readonly #byTitle = new Map<string, { readonly source: JsonSchema; readonly written: object }>();

  /** Throws when two different schemas have one title. */
  reference(schema: JsonSchema): object {
    const { title } = schema;
    if (title === undefined) return this.#write(schema);
    const known = this.#byTitle.get(title);
    if (known === undefined) {
      this.#byTitle.set(title, { source: schema, written: this.#write(schema) });
    } else if (!isDeepStrictEqual(known.source, schema)) {
      throw new Error(`two schemas have the title ${title}`);
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  /** Every schema that was referred to, by title. */
  all(): Record<string, object> {
    const titles = [...this.#byTitle.keys()].sort();
    return Object.fromEntries(titles.map((title) => [title, this.#byTitle.get(title)?.written ?? {}]));
  }

  #write(schema: JsonSchema): object {
    const { properties, items, anyOf, nullable, ...rest } = schema;
    const written: Record<string, unknown> = { ...rest };
    if (nullable) written.type = [rest.type, 'null'];
    if (properties !== undefined) {
      const entries = Object.entries(properties);
      written.properties = Object.fromEntries(entries.map(([name, value]) => [name, this.reference(value)]));
    }
    if (items !== undefined) written.items = this.reference(items);
    if (anyOf !== undefined) written.anyOf = anyOf.map((value) => this.reference(value));
    return written;
  }
}
