/** The parameters of a route as a document has them: those of its path, its headers, and its query. */
import type { DescribedRoute } from '../operation.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';
import { ID, IDEMPOTENCY_KEY } from '../schemas/order.ts';
import type { DocumentComponents } from './document-components.ts';
import type { RecordedCall } from './recorded-call.ts';

interface PathParameter {
  /** The parameter's name in the document and in the guides; default: `id`. */
  readonly name?: string;
  /** The name of the same field in answers. */
  readonly field: string;
  /** The parameter's name among the document's components; default: that of the field, with a capital. */
  readonly component?: string;
  readonly schema: JsonSchema;
}

const ACCOUNT: PathParameter = { field: 'accountId', schema: ID };
const PRODUCT: PathParameter = { field: 'productId', schema: ID };
const PRICED: PathParameter = { ...PRODUCT, name: 'productId', component: 'PricedProductId' };
const TEXT: JsonSchema = { type: 'string' };
const PLACEHOLDER = /\{[a-z]+\}/g;

/** The parameters of paths, by the path up to them, as the router has it. */
const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  '/accounts/{id}': ACCOUNT,
  '/webhooks/{id}': { ...ACCOUNT, name: 'accountId', component: 'WebhookAccountId' },
  '/products/{id}': PRODUCT,
  '/price-lists/{id}': { field: 'priceListId', schema: ID },
  '/price-lists/{id}/prices/{name}': PRICED,
  '/accounts/{id}/prices/{name}': PRICED,
  '/orders/{id}': { field: 'orderId', schema: ID },
  '/lots/{id}': { field: 'lotId', schema: ID },
  '/operators/{id}': { field: 'operatorId', schema: ID },
  '/sessions/{id}': { field: 'sessionId', schema: ID },
  '/suppliers/{id}': { field: 'supplierId', schema: ID },
  '/deposits/unclaimed/{name}': {
    name: 'reference',
    field: 'reference',
    component: 'TransferReference',
    schema: TEXT,
  },
  '/supplier-purchases/{name}': { name: 'reference', field: 'reference', schema: TEXT },
  '/webhooks/{id}/deliveries/{name}': { name: 'eventId', field: 'eventId', schema: TEXT },
};

const IDEMPOTENCY_KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'Use a new key for each purchase, and store it before you send. Send the identical request with the same key after a time-out or a broken connection: the purchase happens exactly once.',
  schema: IDEMPOTENCY_KEY,
};

type Recorded = RecordedCall['parameters'];

/** `recorded` has what a call of the route was made with. */
export function parametersOf(
  route: DescribedRoute,
  components: DocumentComponents,
  recorded: Recorded,
): object[] {
  const { isIdempotent, requestHeaders = [] } = route.operation;
  const key = withExample(IDEMPOTENCY_KEY_PARAMETER, recorded);
  const idempotency = isIdempotent ? [components.parameter('IdempotencyKey', key)] : [];
  const headers = requestHeaders.map(({ schema = TEXT, ...header }) => ({ ...header, in: 'header', schema }));
  return [
    ...pathParameters(route.path, components, recorded),
    ...idempotency,
    ...[...headers, ...queryParameters(route)].map((parameter) => withExample(parameter, recorded)),
  ];
}

function withExample<Parameter extends { readonly name: string; readonly schema: JsonSchema }>(
  parameter: Parameter,
  recorded: Recorded,
): Parameter & { readonly example?: unknown } {
  const text = recorded?.[parameter.name];
  if (text === undefined) return parameter;
  return { ...parameter, example: parameter.schema.type === 'string' ? text : JSON.parse(text) };
}

/** The path of a route with the names that documents use: `/webhooks/{accountId}/…`, where the router has `{id}`. */
export function documentedPath(path: string): string {
  return path.replaceAll(PLACEHOLDER, (whole, index: number) => {
    const { name = 'id' } = parameterAt(path, index + whole.length);
    return `{${name}}`;
  });
}

function pathParameters(path: string, components: DocumentComponents, recorded: Recorded): object[] {
  return Array.from(path.matchAll(PLACEHOLDER), ({ 0: whole, index }) => {
    const { name = 'id', field, component, schema } = parameterAt(path, index + whole.length);
    const title = component ?? field.slice(0, 1).toUpperCase() + field.slice(1);
    const described = { name, in: 'path', required: true, description: `The \`${field}\`.`, schema };
    return components.parameter(title, withExample(described, recorded));
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

function queryParameters({
  query = {},
}: DescribedRoute): { readonly name: string; readonly schema: JsonSchema }[] {
  return Object.entries(query).map(([name, { description, isRequired, ...schema }]) => {
    return { name, in: 'query', ...(isRequired ? { required: true } : {}), description, schema };
  });
}
