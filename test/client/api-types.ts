/**
 * The client's types, made from the OpenAPI document that a node answers with: what is served is what counts.
 * `write-api-types.ts` puts them into the source, and a test holds them against it.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { QuietNode } from '../support/nodes/quiet-node.ts';
import { repositoryRoot } from '../support/repository-root.ts';

export const API_TYPES_FILE = join(repositoryRoot(), 'src', 'client', 'api-types.ts');

const HEAD =
  '// Made from GET /openapi.json by `npm run client:types`: change the schemas of the server instead.\n\n';

/** The schemas that `resources.ts` names, and those that they refer to. */
const USED = new Set([
  ...[
    'Health',
    'Balance',
    'Catalog',
    'Product',
    'PriceTier',
    'PurchaseRequest',
    'Order',
    'Delivery',
    'Purchase',
  ],
  ...['AvailableStock', 'Recipient', 'Receipt'],
  ...['WebhookRequest', 'Webhook', 'WebhookWithSecret', 'WebhookConfiguration', 'RegisteredWebhook'],
]);

/** Types that others extend, so that what they have in common is written once. `Answer` is the envelope. */
const BASES = ['Order', 'WebhookRequest', 'Answer'] as const;

interface Schema {
  readonly title?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}
type Schemas = Readonly<Record<string, Schema>>;

interface OpenApiDocument {
  readonly openapi: string;
  readonly info: object;
  readonly components: { readonly schemas: Schemas };
}

/** The text that the file should have. */
export async function currentApiTypes(): Promise<string> {
  const node = await QuietNode.start('api-types');
  try {
    const { text } = await node.buyers.raw('GET', '/openapi.json');
    // TypeScript has one type for all numbers; and the values that there are now are worth a completion.
    const withoutFormats = (name: string, value: unknown) => (name === 'format' ? undefined : value);
    const closed = text.replaceAll('"x-extensible-enum":', '"enum":');
    const { openapi, info, components } = JSON.parse(closed, withoutFormats) as OpenApiDocument;
    // Titles only repeat the names.
    const used = Object.fromEntries(
      Object.entries(components.schemas)
        .filter(([name]) => USED.has(name))
        .map(([name, { title: _, ...schema }]) => [name, schema]),
    );
    const { success, requestId } = used.Balance?.properties ?? {};
    assert.ok(success !== undefined && requestId !== undefined, 'every answer has them');
    const envelope = { properties: { success, requestId }, required: ['success', 'requestId'] };
    const schemas = extended({ ...used, Answer: { description: 'Of every answer.', ...envelope } });
    const document = { openapi, info, paths: {}, components: { schemas } };
    const options = { alphabetize: true, defaultNonNullable: false, immutable: true };
    const nodes = await openapiTS(JSON.stringify(document), options);
    const isSchemas = (node: (typeof nodes)[number]) => /interface components/.test(astToString(node));
    return HEAD + astToString(nodes.filter(isSchemas));
  } finally {
    await node.close();
  }
}

/** Each schema that has all fields of a base as a reference to it and the rest. */
function extended(schemas: Schemas): Readonly<Record<string, object>> {
  const extend = (schema: Schema, own?: string): object => {
    const { description, ...shape } = schema;
    const { properties = {}, required = [] } = shape;
    const name = BASES.find((base) => base !== own && hasAllOf(schema, schemas[base]));
    const inherited = schemas[name ?? '']?.properties ?? {};
    const rest = Object.entries(properties).filter(([field]) => inherited[field] === undefined);
    const written = {
      ...shape,
      ...(shape.properties && {
        required: required.filter((field) => inherited[field] === undefined),
        properties: Object.fromEntries(rest.map(([field, value]) => [field, extend(value)])),
      }),
    };
    if (name === undefined) return { description, ...written };
    return { description, allOf: [{ $ref: `#/components/schemas/${name}` }, written] };
  };
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, extend(schema, name)]));
}

function hasAllOf({ properties = {}, required = [] }: Schema, base: Schema = {}): boolean {
  return (
    Object.entries(base.properties ?? {}).every(([name, value]) =>
      isDeepStrictEqual(properties[name], value),
    ) && (base.required ?? []).every((name) => required.includes(name))
  );
}
