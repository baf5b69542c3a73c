/**
 * Suppliers: POST, GET and PATCH /suppliers; and what is open at them, or has ended lately: GET /supplies and
 * POST /supplies/reconcile.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { usdtFromMicros } from '../../engine/money.ts';
import { NO_KEY } from '../../engine/orders.ts';
import type { SettledSupply } from '../../engine/settled-supplies.ts';
import type { State } from '../../engine/state.ts';
import type { Supplier } from '../../engine/suppliers.ts';
import { NO_ORDER, type Supply } from '../../engine/supplies.ts';
import { apiError, badRequest } from '../errors.ts';
import { operatorBody } from './operator-body.ts';
import type { OperatorRoute, OperatorServices } from './operator-route.ts';
import { type Page, pageOf, parsePage } from './page.ts';

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

const SUPPLIER_NOT_FOUND = apiError('NOT_FOUND', 'There is no such supplier.');
const BAD_URL = badRequest('url must be an http or https URL without user, password, query or fragment.');

export function supplierRoutes({ engine, suppliers }: OperatorServices): OperatorRoute[] {
  const newSupplier = operatorBody<SupplierBody>(NEW_SUPPLIER);
  const supplierChanges = operatorBody<Partial<SupplierBody>>(SUPPLIER_CHANGES);
  const nothing = operatorBody<object>(NOTHING);
  return [
    {
      method: 'POST',
      path: '/suppliers',
      handle: (context) =>
        context.readJson(newSupplier, ({ name, url, secret }) => {
          const base = baseUrl(url);
          if (base === undefined) return context.fail(BAD_URL);
          const profile = { name, url: base, sealedSecret: suppliers.seal(secret) };
          context.submit({ kind: 'CreateSupplier', profile }, (supplier) =>
            context.succeedWhenDurable(201, supplierFields(supplier)),
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
          const base = url === undefined ? undefined : baseUrl(url);
          if (url !== undefined && base === undefined) return context.fail(BAD_URL);
          const changes = {
            ...(name === undefined ? {} : { name }),
            ...(base === undefined ? {} : { url: base }),
            ...(secret === undefined ? {} : { sealedSecret: suppliers.seal(secret) }),
          };
          context.submit({ kind: 'UpdateSupplier', supplierId: context.id, changes }, (supplier) =>
            context.succeedWhenDurable(200, supplierFields(supplier)),
          );
        }),
    },
    {
      method: 'GET',
      path: '/supplies',
      handle: (context) => {
        const page = parsePage(context.query);
        if ('error' in page) return context.fail(page.error);
        context.succeedWhenDurable(200, supplyLists(engine.state, page));
      },
    },
    {
      method: 'POST',
      path: '/supplies/reconcile',
      handle: (context) =>
        context.readOptionalJson(nothing, () => {
          const asked = suppliers.askAll();
          Promise.race([asked, delay(MAX_ROUND_MS, undefined, { ref: false })]).then(
            () => context.succeedWhenDurable(200, supplyLists(engine.state, FIRST_PAGE)),
            (error: unknown) => context.fault(error),
          );
        }),
    },
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

function supplierFields({ supplierId, profile, createdAtMs }: Supplier): Record<string, unknown> {
  return { supplierId, name: profile.name, url: profile.url, createdAt: createdAtMs };
}

/** What is open, a page of it by number, and with the first page what has ended lately, the latest first. */
function supplyLists(state: State, page: Page): Record<string, unknown> {
  const byId = [...state.supplies.values()].sort((a, b) => a.supplyId - b.supplyId);
  const { rows, nextCursor } = pageOf(byId, page, (row) => row.supplyId);
  const open = rows.map((supply) => ({ ...supplyFields(supply), phase: supply.phase }));
  const settled = page.after > 0 ? [] : state.settledSupplies.values().toReversed().map(settledFields);
  return { supplies: open, settled, ...nextCursor };
}

function settledFields(settled: SettledSupply): Record<string, unknown> {
  const { supply, result, delivered, count, settledAtMs } = settled;
  const items = { itemsDelivered: delivered, itemsIntoStock: count };
  return { ...supplyFields(supply), result, ...items, settledAt: settledAtMs };
}

function supplyFields(supply: Supply): Record<string, unknown> {
  const { supplyId, reference, supplierId, sku, accountId, productId, quantity, orderId, cause } = supply;
  return {
    supplyId,
    reference,
    supplierId,
    supplierSku: sku,
    accountId,
    productId,
    quantity,
    totalPriceUsdt: usdtFromMicros(supply.totalMicros),
    ...(supply.idempotencyKey === NO_KEY ? {} : { idempotencyKey: supply.idempotencyKey }),
    ...(orderId === NO_ORDER ? {} : { orderId }),
    ...(cause === null ? {} : { cause }),
    createdAt: supply.createdAtMs,
  };
}
