/**
 * The end of a group: what it says is told once for all accounts (`GroupStream`), and each subscriber gets an event when it
 * says something to him: products that look another way to him, or whose stock has changed and that he can see.
 */
import type { GroupType } from '../../../engine/events/own-events.ts';
import { eventNumber } from '../../../persistence/webhooks/event-row.ts';
import { STOCK } from '../../../persistence/webhooks/groups/group-block.ts';
import type { Subscriber } from '../../../persistence/webhooks/outbox-rows.ts';
import { type BuyerViews, NOBODY } from './buyer-views.ts';
import type { DerivationSink } from './derivation-sink.ts';
import type { OpenEventGroup } from './open-event-group.ts';

export function closeGroup(
  sink: Pick<DerivationSink, 'emit' | 'group'>,
  subscribers: ReadonlyMap<number, Subscriber>,
  views: BuyerViews,
  group: OpenEventGroup,
  position: number,
  createdAtMs: number,
): void {
  const numberOf = (type: GroupType) => eventNumber(position, type, group.epoch);
  const emit = (type: GroupType, tells: (accountId: number) => boolean): void => {
    for (const [accountId, { webhook }] of subscribers) {
      if (webhook?.events.includes(type) !== true || !tells(accountId)) continue;
      sink.emit(accountId, numberOf(type), { type }, createdAtMs);
    }
  };
  const catalog = { number: numberOf('catalog.updated'), createdAtMs, listed: [] };
  for (const id of group.lists)
    sink.group({ kind: 'catalogOfList', id }, { ...catalog, productIds: group.catalogOfList(id) });
  for (const id of group.watched) {
    const productIds = group.catalogOf(id) ?? [];
    if (!isSame(productIds, group.catalogOfList(views.listOf(id))))
      sink.group({ kind: 'catalogOfAccount', id }, { ...catalog, productIds });
  }
  emit('catalog.updated', (accountId) => {
    const products = group.catalogOf(accountId) ?? group.catalogOfList(views.listOf(accountId));
    return products.length > 0;
  });
  const { stock } = group;
  if (stock.length === 0) return;
  const listed = stock.filter((productId) => views.isListed(productId));
  sink.group(STOCK, { number: numberOf('stock.changed'), createdAtMs, productIds: stock, listed });
  emit('stock.changed', seesSome(views, stock, listed));
}

function seesSome(
  views: BuyerViews,
  stock: readonly number[],
  listed: readonly number[],
): (accountId: number) => boolean {
  if (listed.length < stock.length) return () => true;
  const sees = (accountId: number, listId: number) =>
    listed.some((productId) => views.isVisible(accountId, listId, productId));
  const lists = new Map<number, boolean>();
  return (accountId) => {
    const listId = views.listOf(accountId);
    if (views.hasOwnPrices(accountId)) return sees(accountId, listId);
    const seen = lists.get(listId) ?? sees(NOBODY, listId);
    lists.set(listId, seen);
    return seen;
  };
}

function isSame(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((productId, at) => productId === other[at]);
}
