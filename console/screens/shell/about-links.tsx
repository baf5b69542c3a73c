/** The subjects of a fact or of an entry of the audit, as links to where they are shown. */
import { Fragment } from 'preact';
import { addressOf } from '../../shell/router.ts';

export interface About {
  readonly orderId?: number | undefined;
  readonly accountId?: number | undefined;
  readonly productId?: number | undefined;
  readonly priceListId?: number | undefined;
  readonly supplierId?: number | undefined;
  readonly lotId?: number | undefined;
  readonly supplierPurchaseId?: number | undefined;
  readonly eventId?: string | undefined;
  readonly targetOperator?: string | undefined;
  readonly orderIds?: readonly number[] | undefined;
}

/** A search may have found hundreds. */
const MOST_ORDERS = 3;

export function AboutLinks({ about }: { readonly about: About }) {
  const links = linksOf(about);
  return (
    <span class="about-links" title={links.map(([words]) => words).join(' ')}>
      {links.map(([words, href]) =>
        href === undefined ? (
          <span key={words}>{words} </span>
        ) : (
          <Fragment key={words}>
            <a href={href}>{words}</a>{' '}
          </Fragment>
        ),
      )}
    </span>
  );
}

type Link = readonly [words: string, href?: string | undefined];

function linksOf(about: About): readonly Link[] {
  const { orderId, accountId, productId, priceListId, supplierId, lotId, supplierPurchaseId } = about;
  const { eventId, targetOperator, orderIds = [] } = about;
  const links: Link[] = [];
  if (orderId !== undefined) links.push([`Order ${orderId}`, addressOf('orders', orderId)]);
  for (const id of orderIds.slice(0, MOST_ORDERS)) links.push([`Order ${id}`, addressOf('orders', id)]);
  if (orderIds.length > MOST_ORDERS) links.push([`and ${orderIds.length - MOST_ORDERS} more orders`]);
  if (accountId !== undefined) links.push([`Account ${accountId}`, addressOf('accounts', accountId)]);
  if (productId !== undefined) links.push([`Product ${productId}`, addressOf('products', productId)]);
  if (priceListId !== undefined)
    links.push([`Price list ${priceListId}`, addressOf('price-lists', priceListId)]);
  if (lotId !== undefined) links.push([`Lot ${lotId}`, lotAddress(productId, lotId)]);
  if (supplierId !== undefined)
    links.push([`Supplier ${supplierId}`, addressOf('suppliers', undefined, { supplierId })]);
  if (supplierPurchaseId !== undefined)
    links.push([`Supplier purchase ${supplierPurchaseId}`, addressOf('suppliers')]);
  if (targetOperator !== undefined) links.push([`Operator ${targetOperator}`, addressOf('operators')]);
  if (eventId !== undefined && accountId !== undefined)
    links.push([`Event ${eventId}`, addressOf('webhooks', accountId)]);
  return links;
}

/** A lot is shown on the screen of its product. */
function lotAddress(productId: number | undefined, lot: number): string | undefined {
  return productId === undefined ? undefined : addressOf('products', productId, { lot });
}
