/**
 * Prices of a list and own prices of an account: PUT and DELETE of one, GET of an account's; and what a product would cost
 * an account, GET /accounts/{id}/price.
 */

import { usdtFromMicros } from '../../../engine/money.ts';
import { atPercent, type Price, totalPriceMicros, unitPriceMicros } from '../../../engine/pricing/price.ts';
import type { PriceOwner } from '../../../engine/pricing/price-commands.ts';
import { isVisible, otherPrice, pricedBy } from '../../../engine/pricing/price-rule.ts';
import { isOnSale } from '../../../engine/products.ts';
import { priceView } from '../../../views/operator-views.ts';
import { badRequest } from '../../errors.ts';
import { ID } from '../../schemas/order.ts';
import { ACCOUNT_NOT_FOUND } from '../accounts/accounts.ts';
import { operatorBody } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import type { OperatorOperation } from '../operator-operation.ts';
import {
  bodyRoute,
  deleteRoute,
  type OperatorRoute,
  type OperatorServices,
  operatorRoute,
} from '../operator-route.ts';
import { PAGE_QUERY, parseInteger } from '../page.ts';
import { PRODUCT_NOT_FOUND } from '../products/products.ts';
import { STOCK } from '../roles.ts';
import { PRICE_PROPERTIES, parseOwnPrice } from './price-body.ts';
import {
  EXPLAIN_PRICE,
  LIST_OWN_PRICES,
  REMOVE_LIST_PRICE,
  REMOVE_OWN_PRICE,
  SET_LIST_PRICE,
  SET_OWN_PRICE,
} from './price-operations.ts';
import { pricesPage } from './prices-page.ts';

/** The largest quantity that a purchase can name. */
const MAX_QUANTITY = Number.MAX_SAFE_INTEGER;
const NO_PRODUCT = badRequest('productId must be the id of a product.');
const BAD_QUANTITY = badRequest('quantity must be a whole number from 1 on.');

const PRICE_QUERY = {
  productId: { ...ID, description: 'What would be bought.', isRequired: true },
  quantity: { type: 'integer', minimum: 1, description: 'How many of it; 1 without.' },
} as const;

export function priceRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine } = services;
  return [
    ...pricesOf('/price-lists', SET_LIST_PRICE, REMOVE_LIST_PRICE, (priceListId) => ({ priceListId })),
    ...pricesOf('/accounts', SET_OWN_PRICE, REMOVE_OWN_PRICE, (accountId) => ({ accountId })),
    operatorRoute(
      'GET /accounts/{id}/prices',
      LIST_OWN_PRICES,
      (context) =>
        context.withPage((page) => {
          const { accounts, accountPrices } = engine.state;
          if (accounts.get(context.id) === undefined) return context.failWhenDurable(ACCOUNT_NOT_FOUND);
          const fields = { accountId: context.id, ...pricesPage(accountPrices.pricesOf(context.id), page) };
          context.whenDurable(() => context.succeedInSlices(200, fields));
        }),
      { query: PAGE_QUERY },
    ),
    operatorRoute('GET /accounts/{id}/price', EXPLAIN_PRICE, (context) => explain(context, services), {
      query: PRICE_QUERY,
    }),
  ];
}

function pricesOf(
  noun: '/price-lists' | '/accounts',
  set: OperatorOperation,
  remove: OperatorOperation,
  ownerOf: (id: number) => PriceOwner,
): OperatorRoute[] {
  const path = `${noun}/{id}/prices/{name}` as const;
  const change = (context: OperatorContext, price: Price | null) => {
    const productId = parseInteger(context.name);
    if (!(productId > 0)) return context.fail(PRODUCT_NOT_FOUND);
    const owner = ownerOf(context.id);
    context.submit({ kind: 'SetPrices', ...owner, prices: [{ productId, price }] }, () =>
      context.succeed(200, { ...owner, productId, ...(price === null ? {} : priceView(price)) }),
    );
  };
  return [
    bodyRoute(
      `PUT ${path}`,
      set,
      STOCK,
      operatorBody(PRICE_PROPERTIES, ['priceUsdt']),
      (context, { priceUsdt, priceTiers }) => {
        const parsed = parseOwnPrice(priceUsdt, priceTiers);
        if ('error' in parsed) context.fail(parsed.error);
        else change(context, parsed.price);
      },
    ),
    deleteRoute(`DELETE ${path}`, remove, STOCK, (context) => change(context, null)),
  ];
}

function explain(context: OperatorContext, { engine }: OperatorServices): void {
  const { query } = context;
  const productId = parseInteger(query.get('productId') ?? '');
  if (!(productId > 0)) return context.fail(NO_PRODUCT);
  const quantity = parseInteger(query.get('quantity') ?? '1');
  if (!(quantity >= 1 && quantity <= MAX_QUANTITY)) return context.fail(BAD_QUANTITY);
  const { state } = engine;
  const account = state.accounts.get(context.id);
  if (account === undefined) return context.failWhenDurable(ACCOUNT_NOT_FOUND);
  const product = state.products.get(productId);
  if (product === undefined) return context.failWhenDurable(PRODUCT_NOT_FOUND);
  const other = otherPrice(state, account, product);
  const price = other?.price ?? product.profile;
  const percent = other?.percent ?? null;
  const listedMicros = unitPriceMicros(price, quantity);
  const { priceRule: rule, priceListId } = pricedBy(other);
  context.succeedWhenDurable(200, {
    accountId: context.id,
    productId,
    quantity,
    totalUsdt: usdtFromMicros(Number(totalPriceMicros(price, quantity, percent))),
    unitUsdt: usdtFromMicros(percent === null ? listedMicros : atPercent(listedMicros, percent)),
    rule,
    ...(priceListId === null ? {} : { priceListId }),
    visible: isOnSale(product) && isVisible(state, account, product),
  });
}
