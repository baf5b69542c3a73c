/** Price lists: POST, GET, PATCH and DELETE /price-lists. */

import { MAX_PERCENT, MIN_PERCENT, PERCENT_STEPS } from '../../../engine/pricing/price.ts';
import type { DeletedPriceList } from '../../../engine/pricing/price-commands.ts';
import type { PriceList, PriceListProfile } from '../../../engine/pricing/price-lists.ts';
import type { State } from '../../../engine/state.ts';
import { type Fields, priceListView } from '../../../views/operator-views.ts';
import { type ApiError, apiError, badRequest } from '../../errors.ts';
import { notOneLine } from '../one-line.ts';
import { operatorBody } from '../operator-body.ts';
import {
  bodyRoute,
  deleteRoute,
  type OperatorRoute,
  type OperatorServices,
  onceRoute,
  operatorRoute,
} from '../operator-route.ts';
import { PAGE_QUERY, pageOf } from '../page.ts';
import { STOCK } from '../roles.ts';
import {
  CREATE_PRICE_LIST,
  DELETE_PRICE_LIST,
  GET_PRICE_LIST,
  LIST_PRICE_LISTS,
  UPDATE_PRICE_LIST,
} from './price-list-operations.ts';
import { pricesPage } from './prices-page.ts';

const LIST_PROPERTIES = {
  name: { type: 'string', minLength: 1, maxLength: 200, description: 'One line, for operators.' },
  percent: {
    type: 'number',
    nullable: true,
    minimum: MIN_PERCENT,
    maximum: MAX_PERCENT,
    description:
      'What the list does not name costs so many percent more than the product, or less when it is negative, tiers as well; up to 2 decimals. null: what the product costs.',
  },
} as const;

export const PRICE_LIST_NOT_FOUND = apiError('NOT_FOUND', 'There is no such price list. Check the id.');

export function priceListRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine } = services;
  const fieldsNow = (list: Readonly<PriceList>) => priceListFields(engine.state, list);
  return [
    onceRoute(
      'POST /price-lists',
      CREATE_PRICE_LIST,
      STOCK,
      operatorBody(LIST_PROPERTIES, ['name']),
      services,
      (context, body) => {
        const parsed = parseProfile(body);
        if ('error' in parsed) return context.fail(parsed.error);
        const profile = { name: body.name, percent: null, ...parsed.changes };
        const { name } = profile;
        const said = { name, percent: percentOf(profile), accounts: 0, prices: 0 };
        context.submitOnce(
          { kind: 'CreatePriceList', profile },
          (once) => context.succeedOnce(once, createdFields(once.result, once.said, fieldsNow)),
          said,
        );
      },
    ),
    operatorRoute(
      'GET /price-lists',
      LIST_PRICE_LISTS,
      (context) =>
        context.withPage((page) => {
          const rows = engine.state.priceLists.values();
          const { rows: lists, nextCursor } = pageOf(rows, page, ({ priceListId }) => priceListId);
          context.succeedWhenDurable(200, { priceLists: lists.map(fieldsNow), ...nextCursor });
        }),
      { query: PAGE_QUERY },
    ),
    operatorRoute(
      'GET /price-lists/{id}',
      GET_PRICE_LIST,
      (context) =>
        context.withPage((page) => {
          const { priceLists, listPrices } = engine.state;
          const list = priceLists.get(context.id);
          if (list === undefined) return context.failWhenDurable(PRICE_LIST_NOT_FOUND);
          const fields = { ...fieldsNow(list), ...pricesPage(listPrices.pricesOf(context.id), page) };
          context.whenDurable(() => context.succeedInSlices(200, fields));
        }),
      { query: PAGE_QUERY },
    ),
    bodyRoute(
      'PATCH /price-lists/{id}',
      UPDATE_PRICE_LIST,
      STOCK,
      operatorBody(LIST_PROPERTIES),
      (context, body) => {
        const parsed = parseProfile(body);
        if ('error' in parsed) return context.fail(parsed.error);
        const { changes } = parsed;
        context.submit({ kind: 'UpdatePriceList', priceListId: context.id, changes }, (list) =>
          context.succeed(200, fieldsNow(list)),
        );
      },
    ),
    deleteRoute('DELETE /price-lists/{id}', DELETE_PRICE_LIST, STOCK, (context) =>
      context.submit({ kind: 'DeletePriceList', priceListId: context.id }, ({ deletedPriceListId }) =>
        context.succeed(200, { priceListId: deletedPriceListId }),
      ),
    ),
  ];
}

/** A list with how many accounts have it, and how many prices it has, now. */
function priceListFields(
  { priceLists, listPrices }: State,
  { priceListId, profile, createdAtMs }: Readonly<PriceList>,
): Fields {
  return {
    ...priceListView(priceListId, profile),
    accounts: priceLists.accountsOf(priceListId),
    prices: listPrices.countOf(priceListId),
    createdAt: createdAtMs,
  };
}

/** A list that was deleted since is told as it was when it was made. */
function createdFields(
  result: Readonly<PriceList> | DeletedPriceList,
  said: Fields | undefined,
  fieldsNow: (list: Readonly<PriceList>) => Fields,
): Fields {
  if (!('deletedPriceListId' in result)) return fieldsNow(result);
  return { priceListId: result.deletedPriceListId, ...said };
}

function percentOf({ percent }: PriceListProfile): number | null {
  return percent === null ? null : percent / PERCENT_STEPS;
}

function parseProfile({
  name,
  percent,
}: {
  readonly name?: string | undefined;
  readonly percent?: number | null | undefined;
}): { readonly changes: Partial<PriceListProfile> } | { readonly error: ApiError } {
  const unfit = notOneLine('name', name);
  if (unfit !== undefined) return { error: unfit };
  const named = name === undefined ? {} : { name };
  if (percent === undefined) return { changes: named };
  if (percent === null) return { changes: { ...named, percent } };
  const steps = Math.round(percent * PERCENT_STEPS);
  if (steps / PERCENT_STEPS !== percent) {
    return { error: badRequest('percent must have at most 2 decimals.') };
  }
  return { changes: { ...named, percent: steps } };
}
