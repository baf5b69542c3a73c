/** The parameters of a route as a document has them: what stands in its path, its headers, and its query. */
import type { DescribedRoute } from '../operation.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';
import { ID, IDEMPOTENCY_KEY } from '../schemas/order.ts';
import type { DocumentComponents } from './document-components.ts';

interface PathParameter {
  /** As the answers have it. */
  readonly field: string;
  readonly schema: JsonSchema;
  readonly example: string | number;
}

const ACCOUNT: PathParameter = { field: 'accountId', schema: ID, example: 7 };
const PRODUCT: PathParameter = { field: 'productId', schema: ID, example: 12 };
const TEXT: JsonSchema = { type: 'string' };

/** What a parameter of the path is, by the path's part up to it. */
const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  '/accounts/{id}': ACCOUNT,
  '/webhooks/{id}': ACCOUNT,
  '/products/{id}': PRODUCT,
  '/orders/{id}': { field: 'orderId', schema: ID, example: 4711 },
  '/lots/{id}': { field: 'lotId', schema: ID, example: 31 },
  '/operators/{id}': { field: 'operatorId', schema: ID, example: 3 },
  '/suppliers/{id}': { field: 'supplierId', schema: ID, example: 2 },
  '/supplier-purchases/{name}': { field: 'reference', schema: TEXT, example: 'pur_12_1767225600000' },
  '/webhooks/{id}/deliveries/{name}': {
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

/** Throws when nobody says what a parameter is. */
function pathParameters(path: string, components: DocumentComponents): object[] {
  return Array.from(path.matchAll(/\{([a-z]+)\}/g), ({ 0: whole, 1: name, index }) => {
    const known = PATH_PARAMETERS[path.slice(0, index + whole.length)];
    if (known === undefined)
      throw new Error(`request-parameters.ts: PATH_PARAMETERS doesn't say what ${whole} of ${path} is`);
    const { field, schema, example } = known;
    const title = field.slice(0, 1).toUpperCase() + field.slice(1);
    const described = { name, in: 'path', required: true, description: `The \`${field}\`.`, schema, example };
    return components.parameter(title, described);
  });
}

/** A field that nobody has described is there all the same: the server knows it. */
function queryParameters({ query = {} }: DescribedRoute): object[] {
  return Object.entries(query).map(([name, field]) => {
    if (field === undefined) return { name, in: 'query', schema: TEXT };
    const { isRequired, ...described } = field;
    return { name, in: 'query', ...(isRequired ? { required: true } : {}), ...described };
  });
}
