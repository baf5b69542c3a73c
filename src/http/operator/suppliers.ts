/**
 * Suppliers: POST, GET and PATCH /suppliers. Their open and recently ended purchases: GET /supplier-purchases,
 * POST /supplier-purchases/reconcile and POST /supplier-purchases/{reference}/give-up.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { State } from '../../engine/state.ts';
import type { Supplier } from '../../engine/suppliers.ts';
import { apiError, badRequest } from '../errors.ts';
import { notOneLine } from './one-line.ts';
import { operatorBody } from './operator-body.ts';
import type { OperatorRoute, OperatorServices } from './operator-route.ts';
import { type Page, pageOf, parsePage } from './page.ts';
import { endedFields, supplierPurchaseFields } from './supplier-purchase-fields.ts';
import { giveUpRoute } from './supplier-purchase-give-up.ts';

const SUPPLIER_PROPERTIES = {
  name: { type: 'string', minLength: 1, maxLength: 200 },
  url: { type: 'string', minLength: 1, maxLength: 2_000 },
  secret: { type: 'string', minLength: 16, maxLength: 512 },
} as const;
const NEW_SUPPLIER = {
  type: 'object',
  required: ['name', 'url', 'secret'],
  properties: SUPPLIER_PROPERTIES,
} as const;
const SUPPLIER_CHANGES = { type: 'object', properties: SUPPLIER_PROPERTIES } as const;
const NOTHING = { type: 'object' } as const;
const FIRST_PAGE: Page = { after: 0, limit: 1_000 };
/** A round may take longer, when much is open or suppliers are silent: it goes on, and the answer comes. */
const MAX_ROUND_MS = 20_000;

interface SupplierBody {
  readonly name: string;
  readonly url: string;
  readonly secret: string;
}

const SUPPLIER_NOT_FOUND = apiError('NOT_FOUND', 'There is no such supplier. Check the id.');
const BAD_URL = badRequest('url must be an http or https URL without user, password, query or fragment.');

export function supplierRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine, suppliers } = services;
  const newSupplier = operatorBody<SupplierBody>(NEW_SUPPLIER);
  const supplierChanges = operatorBody<Partial<SupplierBody>>(SUPPLIER_CHANGES);
  const nothing = operatorBody<object>(NOTHING);
  return [
    {
      method: 'POST',
      path: '/suppliers',
      handle: (context) =>
        context.readJson(newSupplier, ({ name, url, secret }) => {
          const unfit = notOneLine('name', name);
          if (unfit !== undefined) return context.fail(unfit);
          const base = baseUrl(url);
          if (base === undefined) return context.fail(BAD_URL);
          const profile = { name, url: base, sealedSecret: suppliers.seal(secret) };
          context.submit({ kind: 'CreateSupplier', profile }, (supplier) =>
            context.succeed(201, supplierFields(supplier)),
          );
        }),
    },
    {
      method: 'GET',
      path: '/suppliers',
      handle: (context) => {
        const page = parsePage(context.query);
        if ('error' in page) return context.fail(page.error);
        const { rows, nextCursor } = pageOf(engine.state.suppliers.values(), page, (row) => row.supplierId);
        context.succeedWhenDurable(200, { suppliers: rows.map(supplierFields), ...nextCursor });
      },
    },
    {
      method: 'GET',
      path: '/suppliers/{id}',
      handle: (context) => {
        const supplier = engine.state.suppliers.get(context.id);
        if (supplier === undefined) context.fail(SUPPLIER_NOT_FOUND);
        else context.succeedWhenDurable(200, supplierFields(supplier));
      },
    },
    {
      method: 'PATCH',
      path: '/suppliers/{id}',
      handle: (context) =>
        context.readJson(supplierChanges, ({ name, url, secret }) => {
          const unfit = notOneLine('name', name);
          if (unfit !== undefined) return context.fail(unfit);
          const base = url === undefined ? undefined : baseUrl(url);
          if (url !== undefined && base === undefined) return context.fail(BAD_URL);
          const changes = {
            ...(name === undefined ? {} : { name }),
            ...(base === undefined ? {} : { url: base }),
            ...(secret === undefined ? {} : { sealedSecret: suppliers.seal(secret) }),
          };
          context.submit({ kind: 'UpdateSupplier', supplierId: context.id, changes }, (supplier) => {
            suppliers.lookForStock();
            context.succeed(200, supplierFields(supplier));
          });
        }),
    },
    {
      method: 'GET',
      path: '/supplier-purchases',
      handle: (context) => {
        const page = parsePage(context.query);
        if ('error' in page) return context.fail(page.error);
        context.succeedWhenDurable(200, supplierPurchaseLists(engine.state, page));
      },
    },
    {
      method: 'POST',
      path: '/supplier-purchases/reconcile',
      handle: (context) =>
        context.readOptionalJson(nothing, () => {
          const asked = suppliers.askAll();
          Promise.race([asked, delay(MAX_ROUND_MS, undefined, { ref: false })]).then(
            () => context.succeedWhenDurable(200, supplierPurchaseLists(engine.state, FIRST_PAGE)),
            (error: unknown) => context.fault(error),
          );
        }),
    },
    giveUpRoute(services),
  ];
}

/** Without a slash at its end; undefined when it can't be one. */
function baseUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, username, password, search, hash, origin, pathname } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  if (username + password + search + hash !== '') return undefined;
  return (origin + pathname).replace(/\/+$/, '');
}

function supplierFields({ supplierId, profile, createdAtMs }: Readonly<Supplier>): Record<string, unknown> {
  return { supplierId, name: profile.name, url: profile.url, createdAt: createdAtMs };
}

/**
 * What is open, a page of it by number, and with the first page what has ended lately, the latest first. The table is
 * walked as it lies, up to the page's end: its rows are in order, and there are `MAX_SUPPLIER_PURCHASES` at most.
 */
function supplierPurchaseLists(state: State, page: Page): Record<string, unknown> {
  const { rows, nextCursor } = pageOf(
    state.supplierPurchases.values(),
    page,
    (row) => row.supplierPurchaseId,
  );
  const open = rows.map((supplierPurchase) => ({
    ...supplierPurchaseFields(supplierPurchase),
    phase: supplierPurchase.phase,
  }));
  const ended = page.after > 0 ? [] : state.endedSupplierPurchases.values().toReversed().map(endedFields);
  return { supplierPurchases: open, ended, ...nextCursor };
}
