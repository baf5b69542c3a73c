/** Suppliers: POST, GET and PATCH /suppliers. */
import type { Supplier } from '../../../engine/supplying/suppliers.ts';
import type { Fields } from '../../../views/operator-views.ts';
import { type ApiError, apiError, badRequest } from '../../errors.ts';
import { notOneLine } from '../one-line.ts';
import { operatorBody } from '../operator-body.ts';
import { bodyRoute, type OperatorRoute, type OperatorServices, onceRoute } from '../operator-route.ts';
import { OWNERS } from '../roles.ts';
import { readRoutes } from '../table-routes.ts';
import { CREATE_SUPPLIER, GET_SUPPLIER, LIST_SUPPLIERS, UPDATE_SUPPLIER } from './supplier-operations.ts';

const SUPPLIER_PROPERTIES = {
  name: { type: 'string', minLength: 1, maxLength: 200, description: 'One line.' },
  url: {
    type: 'string',
    minLength: 1,
    maxLength: 2_000,
    description: 'What its paths are added to: http or https, without user, password, query or fragment.',
  },
  secret: {
    type: 'string',
    minLength: 16,
    maxLength: 512,
    description: 'Signs what the two send each other.',
  },
} as const;

const SUPPLIER_NOT_FOUND = apiError('NOT_FOUND', 'There is no such supplier. Check the id.');
const BAD_URL = badRequest('url must be an http or https URL without user, password, query or fragment.');

export function supplierRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine, suppliers } = services;
  const newSupplier = operatorBody(SUPPLIER_PROPERTIES, ['name', 'url', 'secret']);
  return [
    onceRoute(
      'POST /suppliers',
      CREATE_SUPPLIER,
      OWNERS,
      newSupplier,
      services,
      (context, { name, url, secret }) => {
        const error = refusalOf(name, url);
        if (error !== undefined) return context.fail(error);
        const profile = { name, url: baseUrl(url) ?? '', sealedSecret: suppliers.seal(secret) };
        context.submitOnce({ kind: 'CreateSupplier', profile }, (once) =>
          context.succeedOnce(once, supplierFields(once.result, services)),
        );
      },
    ),
    ...readRoutes('suppliers', {
      rows: () => engine.state.suppliers,
      idOf: (supplier) => supplier.supplierId,
      createdAtOf: (supplier) => supplier.createdAtMs,
      view: (supplier) => supplierFields(supplier, services),
      notFound: SUPPLIER_NOT_FOUND,
      list: LIST_SUPPLIERS,
      one: GET_SUPPLIER,
    }),
    bodyRoute(
      'PATCH /suppliers/{id}',
      UPDATE_SUPPLIER,
      OWNERS,
      operatorBody(SUPPLIER_PROPERTIES),
      (context, { name, url, secret }) => {
        const error = refusalOf(name, url);
        if (error !== undefined) return context.fail(error);
        const changes = {
          ...(name === undefined ? {} : { name }),
          ...(url === undefined ? {} : { url: baseUrl(url) ?? '' }),
          ...(secret === undefined ? {} : { sealedSecret: suppliers.seal(secret) }),
        };
        context.submit({ kind: 'UpdateSupplier', supplierId: context.id, changes }, (supplier) => {
          suppliers.lookForStock();
          context.succeed(200, supplierFields(supplier, services));
        });
      },
    ),
  ];
}

function refusalOf(name: string | undefined, url: string | undefined): ApiError | undefined {
  return notOneLine('name', name) ?? (url !== undefined && baseUrl(url) === undefined ? BAD_URL : undefined);
}

/** The base URL without a slash at its end; undefined when the text can't be one. */
function baseUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, username, password, search, hash, origin, pathname } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  if (username + password + search + hash !== '') return undefined;
  return (origin + pathname).replace(/\/+$/, '');
}

/** A supplier's fields. Its open purchases are those of now, whenever the row was copied. */
function supplierFields(
  { supplierId, profile, createdAtMs }: Readonly<Supplier>,
  { engine, suppliers }: OperatorServices,
): Fields {
  const { supplierPurchases } = engine.state;
  return {
    supplierId,
    name: profile.name,
    url: profile.url,
    createdAt: createdAtMs,
    circuit: suppliers.isCircuitOpen(supplierId) ? 'open' : 'closed',
    openPurchases: supplierPurchases.openCountOf(supplierId),
    unresolvedPurchases: supplierPurchases.unresolvedCountOf(supplierId),
  };
}
