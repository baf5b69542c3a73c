/** The parameters of a route as a document has them: those of its path, its headers, and its query. */
import type { DescribedRoute } from '../operation.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';
import { ID, IDEMPOTENCY_KEY } from '../schemas/order.ts';
import type { DocumentComponents } from './document-components.ts';

interface PathParameter {
  /** The parameter's name in the document and in the guides; default: `id`. */
  readonly name?: string;
  /** The name of the same field in answers. */
  readonly field: string;
  /** The parameter's name among the document's components; default: that of the field, with a capital. */
  readonly component?: string;
  readonly schema: JsonSchema;
  readonly example: string | number;
}

const ACCOUNT: PathParameter = { field: 'accountId', schema: ID, example: 7 };
const PRODUCT: PathParameter = { field: 'productId', schema: ID, example: 12 };
const TEXT: JsonSchema = { type: 'string' };
const PLACEHOLDER = /\{[a-z]+\}/g;

/** The parameters of paths, by the path up to them, as the router has it. */
const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  '/accounts/{id}': ACCOUNT,
  '/webhooks/{id}': { ...ACCOUNT, name: 'accountId', component: 'WebhookAccountId' },
  '/products/{id}': PRODUCT,
  '/orders/{id}': { field: 'orderId', schema: ID, example: 4711 },
  '/lots/{id}': { field: 'lotId', schema: ID, example: 31 },
  '/operators/{id}': { field: 'operatorId', schema: ID, example: 3 },
  '/sessions/{id}': { field: 'sessionId', schema: ID, example: 5 },
  '/suppliers/{id}': { field: 'supplierId', schema: ID, example: 2 },
  '/supplier-purchases/{name}': {
    name: 'reference',
    field: 'reference',
    schema: TEXT,
    example: 'pur_12_1767225600000',
  },
  '/webhooks/{id}/deliveries/{name}': {
    name: 'eventId',
    field: 'eventId',
    schema: TEXT,
    example: 'evt_0000000000901000000007',
  },
};

const IDEMPOTENCY_KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'Use a new key for each purchase, and store it before you send. Send the identical request with the same key after a time-out or a broken connection: the purchase happens exactly once.',
  schema: IDEMPOTENCY_KEY,
  example: '1b671a64-40d5-491e-99b0-da01ff1f3341',
};

export function parametersOf(route: DescribedRoute, components: DocumentComponents): object[] {
  const { isIdempotent, requestHeaders = [] } = route.operation;
  const idempotency = isIdempotent ? [components.parameter('IdempotencyKey', IDEMPOTENCY_KEY_PARAMETER)] : [];
  const headers = requestHeaders.map(({ schema = TEXT, ...header }) => ({ ...header, in: 'header', schema }));
  return [...pathParameters(route.path, components), ...idempotency, ...headers, ...queryParameters(route)];
}

/** The path of a route with the names that documents use: `/webhooks/{accountId}/…`, where the router has `{id}`. */
export function documentedPath(path: string): string {
  return path.replaceAll(PLACEHOLDER, (whole, index: number) => {
    const { name = 'id' } = parameterAt(path, index + whole.length);
    return `{${name}}`;
  });
}

function pathParameters(path: string, components: DocumentComponents): object[] {
  return Array.from(path.matchAll(PLACEHOLDER), ({ 0: whole, index }) => {
    const { name = 'id', field, component, schema, example } = parameterAt(path, index + whole.length);
    const title = component ?? field.slice(0, 1).toUpperCase() + field.slice(1);
    const described = { name, in: 'path', required: true, description: `The \`${field}\`.`, schema, example };
    return components.parameter(title, described);
  });
}

/** The parameter that ends at `end` of the path. Throws when it isn't described. */
function parameterAt(path: string, end: number): PathParameter {
  const known = PATH_PARAMETERS[path.slice(0, end)];
  if (known === undefined) {
    throw new Error(
      `request-parameters.ts: PATH_PARAMETERS doesn't say what the end of ${path.slice(0, end)} is`,
    );
  }
  return known;
}

/** A field that nobody has described is there all the same: the server knows it. */
function queryParameters({ query = {} }: DescribedRoute): object[] {
  return Object.entries(query).map(([name, field]) => {
    if (field === undefined) return { name, in: 'query', schema: TEXT };
    const { isRequired, ...described } = field;
    return { name, in: 'query', ...(isRequired ? { required: true } : {}), ...described };
  });
}
