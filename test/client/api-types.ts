/**
 * The client's types, made from the OpenAPI document that a real server answers with: what is served is what
 * counts. `write-api-types.ts` puts them into the source, and a test holds them against it.
 */
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { startPurser } from '../support/purser-process.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

export const API_TYPES_FILE = join(repositoryRoot(), 'src', 'client', 'api-types.ts');

const HEAD =
  '// Made from GET /openapi.json by `npm run client:types`: change the schemas of the server instead.\n\n';

/** What `resources.ts` names, and what those refer to. */
const USED = new Set([
  ...['Health', 'Balance', 'Catalog', 'Product', 'PurchaseRequest', 'Order', 'Delivery', 'Purchase'],
  ...['WebhookRequest', 'WebhookConfiguration', 'RegisteredWebhook'],
]);

interface Schema {
  readonly title?: string;
}

interface OpenApiDocument {
  readonly openapi: string;
  readonly info: object;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The text that the file should have. */
export async function currentApiTypes(): Promise<string> {
  const folder = await createTemporaryFolder('api-types');
  const server = await startPurser({ dataDir: folder.path });
  try {
    const reply = await fetch(`${server.buyerUrl}/openapi.json`);
    const { openapi, info, components } = (await reply.json()) as OpenApiDocument;
    // Titles only repeat the names.
    const schemas = Object.fromEntries(
      Object.entries(components.schemas)
        .filter(([name]) => USED.has(name))
        .map(([name, { title: _, ...schema }]) => [name, schema]),
    );
    const document = { openapi, info, paths: {}, components: { schemas } };
    const options = { alphabetize: true, defaultNonNullable: false, immutable: true };
    const nodes = await openapiTS(JSON.stringify(document), options);
    const isSchemas = (node: (typeof nodes)[number]) => /interface components/.test(astToString(node));
    return HEAD + astToString(nodes.filter(isSchemas));
  } finally {
    await server.stop();
    await folder.remove();
  }
}
