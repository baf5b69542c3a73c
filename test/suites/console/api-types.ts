/**
 * The part of the operators' API that the console knows, made from the document that a node answers with: the types of
 * its calls, and which roles may make each. `write-api-types.ts` puts both into the source, and a test holds them
 * against it.
 *
 * Only answers that succeed are there, and no examples: the console has one type for all refusals.
 */
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { documentText } from '../../contract/operator/route-table.ts';
import { repositoryRoot } from '../../support/repository-root.ts';

const FOLDER = join(repositoryRoot(), 'console', 'api');
export const API_TYPES_FILE = join(FOLDER, 'api-types.ts');
export const CALL_ROLES_FILE = join(FOLDER, 'call-roles.ts');

const HEAD =
  '// Made from GET /openapi.json by `npm run console:types`: change the routes of the server instead.\n\n';
/** Fields of an operation that other programs are told, and the console is not. */
const LEFT_OUT = new Set('examples example description summary tags security title format'.split(' '));
/** Half of all lines say that something isn't there. */
const ABSENT = /^ +readonly \w+\?: never;\n/gm;
const ANY_HEADERS = /^ +headers: \{\n.*\n +\};\n/gm;

interface Operation {
  readonly 'x-roles'?: readonly string[];
  readonly responses: Readonly<Record<string, object>>;
}

interface OpenApiDocument {
  readonly openapi: string;
  readonly info: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

export interface MadeFiles {
  readonly types: string;
  readonly roles: string;
}

/** The texts that the files should have. */
export async function currentApiTypes(): Promise<MadeFiles> {
  // The console is of its node's version: it knows all values.
  const text = documentText().replaceAll('"x-extensible-enum":', '"enum":');
  const document = JSON.parse(text) as OpenApiDocument;
  return { types: await typesOf(document), roles: rolesOf(document) };
}

async function typesOf({ openapi, info, paths, components }: OpenApiDocument): Promise<string> {
  const succeeding = mapValues(paths, (operations) => mapValues(operations, ofSuccess));
  const schemas = Object.fromEntries(
    Object.entries(components.schemas ?? {}).filter(([name]) => !/Error$/.test(name)),
  );
  const kept = spare({ paths: succeeding, components: { schemas, parameters: components.parameters } });
  const options = { alphabetize: true, defaultNonNullable: false, immutable: true };
  const nodes = await openapiTS(JSON.stringify({ openapi, info, ...(kept as object) }), options);
  const wanted = nodes.filter((node) => /interface (paths|components)\b/.test(astToString(node)));
  return HEAD + astToString(wanted).replace(ABSENT, '').replace(ANY_HEADERS, '');
}

function ofSuccess({ responses, ...operation }: Operation): object {
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const { operationId: _, ...rest } = operation as typeof operation & { operationId?: string };
  return {
    ...rest,
    responses: mapValues(
      Object.fromEntries(good),
      ({ headers: _, ...answer }: { headers?: object }) => answer,
    ),
  };
}

/** A row for each call: the least that is needed to know whether a role may make it. */
function rolesOf({ paths }: OpenApiDocument): string {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { 'x-roles': roles = [] }]) =>
      roles.length === 0 ? [] : [`  '${method.toUpperCase()} ${path}': '${roles.join(' ')}',`],
    ),
  );
  return `${HEAD}/** The roles that may make each call; calls that aren't here need no token. */
export const CALL_ROLES: Readonly<Record<string, string>> = {
${rows.join('\n')}
};
`;
}

function spare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(spare);
  if (typeof value !== 'object' || value === null) return value;
  // A field of an answer may have one of these names, too: then its value is a schema.
  const isKept = ([name, field]: [string, unknown]) =>
    !LEFT_OUT.has(name) || (name !== 'example' && name !== 'examples' && isSchema(field));
  return Object.fromEntries(
    Object.entries(value)
      .filter(isKept)
      .map(([name, field]) => [name, spare(field)]),
  );
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
