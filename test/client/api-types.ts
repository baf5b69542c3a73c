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

interface Schema {
  readonly properties?: { readonly error?: object };
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
    // What the client uses: neither the paths nor the errors, whose codes `engine/api-errors.ts` has.
    const isUsed = ([, { properties }]: [string, Schema]) => properties?.error === undefined;
    const schemas = Object.fromEntries(Object.entries(components.schemas).filter(isUsed));
    const document = { openapi, info, paths: {}, components: { schemas } };
    const options = { alphabetize: true, defaultNonNullable: false, immutable: true };
    const nodes = await openapiTS(JSON.stringify(document), options);
    return HEAD + astToString(nodes);
  } finally {
    await server.stop();
    await folder.remove();
  }
}
