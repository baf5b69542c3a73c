/**
 * Components of a document, to which several of its parts refer by name: schemas, headers and parameters, each written
 * once.
 */
import { type HeaderName, RESPONSE_HEADERS } from './response-headers.ts';
import { SchemaComponents } from './schema-components.ts';

export class DocumentComponents {
  readonly schemas = new SchemaComponents();
  readonly #headers = new Set<HeaderName>();
  readonly #parameters = new Map<string, object>();

  /** References to these headers, by name. */
  headers(names: readonly HeaderName[]): object {
    for (const name of names) this.#headers.add(name);
    return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  }

  parameter(name: string, parameter: object): object {
    this.#parameters.set(name, parameter);
    return { $ref: `#/components/parameters/${name}` };
  }

  /** The components that were referred to. */
  all(): object {
    const headers = Object.entries(RESPONSE_HEADERS).filter(([name]) =>
      this.#headers.has(name as HeaderName),
    );
    return {
      parameters: Object.fromEntries(this.#parameters),
      headers: Object.fromEntries(headers),
      schemas: this.schemas.all(),
    };
  }
}
