/** The actions on one price, of a list or of an account: what differs between both are the calls, and how it is said. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { ReasonAction } from '../../parts/dialogs/reason-action.tsx';
import { amount, reason, whole } from '../../parts/forms/field.tsx';
import { tierFlags, tiersField } from './price-tiers.ts';

export type OwnerOfPrices = keyof typeof PRICE_CALLS;

export const PRICE_CALLS = {
  account: {
    title: 'Own prices',
    empty: 'It has no own prices.',
    list: 'GET /accounts/{id}/prices',
    set: 'PUT /accounts/{id}/prices/{productId}',
    remove: 'DELETE /accounts/{id}/prices/{productId}',
    setCommand: 'price set',
    removeCommand: 'price unset',
    about: 'It holds before all other prices, for this account alone.',
    without: 'The account pays by its price list then, or what the product costs.',
  },
  'price-list': {
    title: 'Prices',
    empty: 'It names no product.',
    list: 'GET /price-lists/{id}',
    set: 'PUT /price-lists/{id}/prices/{productId}',
    remove: 'DELETE /price-lists/{id}/prices/{productId}',
    setCommand: 'price-list set',
    removeCommand: 'price-list unset',
    about: 'Its volume prices replace those of the product.',
    without: 'Its accounts pay what the product costs then, by the percent of the list.',
  },
} as const;

interface OfOwner {
  readonly owner: OwnerOfPrices;
  /** Of the list or the account. */
  readonly id: number;
}

/** Of a product that one names, or another one of `price`. */
export function SetPrice({ owner, id, price }: OfOwner & { readonly price?: Schema<'OwnPrice'> }) {
  const { set, setCommand, about } = PRICE_CALLS[owner];
  return (
    <Action
      name={price === undefined ? 'Set price' : 'Change'}
      {...(price !== undefined && { openerLabel: `Change the price of product ${price.productId}` })}
      needs={set}
      look="small"
      about={price === undefined ? about : `Of product ${price.productId}. ${about}`}
      fields={{
        ...(price === undefined && { productId: whole({ label: 'Product', min: 1, hint: 'Its id.' }) }),
        priceUsdt: amount({ label: 'Price in USDT', initial: price?.priceUsdt, hint: 'Of one.' }),
        priceTiers: tiersField(price?.priceTiers),
        reason: reason(),
      }}
      command={({ productId = price?.productId, priceUsdt, priceTiers, reason: why }) =>
        purser(setCommand, [id, productId ?? ''], {
          price: priceUsdt,
          tier: tierFlags(priceTiers),
          reason: why,
        })
      }
      run={({ productId = price?.productId ?? 0, ...body }) => call(set, { path: { id, productId }, body })}
      onDone={({ productId }) => announce(`The price of product ${productId} is set.`)}
    />
  );
}

export function RemovePrice({ owner, id, productId }: OfOwner & { readonly productId: number }) {
  const { remove, removeCommand, without } = PRICE_CALLS[owner];
  return (
    <ReasonAction
      name="Remove"
      openerLabel={`Remove the price of product ${productId}`}
      needs={remove}
      look="small"
      isGrave
      about={`The price of product ${productId}. ${without}`}
      command={(given) => purser(removeCommand, [id, productId], given)}
      run={(query) => call(remove, { path: { id, productId }, query })}
      onDone={() => announce(`The price of product ${productId} is removed.`)}
    />
  );
}
