/**
 * The events of a group that closes: each subscriber is told the products that look another way to him, and those whose
 * stock has changed and that he can see. Subscribers who are told the same products share one list of them.
 */
import type { GroupType } from '../../../engine/events/own-events.ts';
import { eventNumber } from '../../../persistence/webhooks/event-row.ts';
import type { Subscriber } from '../../../persistence/webhooks/outbox-rows.ts';
import { type BuyerViews, NOBODY } from './buyer-views.ts';
import type { DerivationSink } from './derivation-sink.ts';
import type { OpenEventGroup } from './open-event-group.ts';

type ProductsOf = (accountId: number) => readonly number[];

export function emitGroup(
  sink: Pick<DerivationSink, 'emit' | 'list'>,
  subscribers: ReadonlyMap<number, Subscriber>,
  views: BuyerViews,
  group: OpenEventGroup,
  position: number,
  atMs: number,
): void {
  const emit = (type: GroupType, productsOf: ProductsOf): void => {
    const listNumber = eventNumber(position, type, group.epoch);
    const lists = new Map<string, { variant: number; products: readonly number[]; references: number }>();
    const textOf = remembered((products: readonly number[]) => products.join());
    for (const [accountId, { webhook }] of subscribers) {
      if (webhook === null || !webhook.events.includes(type)) continue;
      const products = productsOf(accountId);
      if (products.length === 0) continue;
      const text = textOf(products);
      const list = lists.get(text) ?? { variant: lists.size, products, references: 0 };
      lists.set(text, list);
      list.references += 1;
      sink.emit(accountId, listNumber, { type, listNumber, variant: list.variant }, atMs);
    }
    for (const { variant, products, references } of lists.values())
      sink.list({ listNumber, variant }, products, references);
  };
  emit('catalog.updated', catalogOf(views, group));
  emit('stock.changed', stockOf(views, group));
}

function catalogOf(views: BuyerViews, group: OpenEventGroup): ProductsOf {
  const ofList = remembered((listId: number) => group.catalogOfList(listId));
  return (accountId) => group.catalogOf(accountId) ?? ofList(views.listOf(accountId));
}

function stockOf(views: BuyerViews, { stock }: OpenEventGroup): ProductsOf {
  if (!stock.some((productId) => views.isListed(productId))) return () => stock;
  const seen = (accountId: number, listId: number) =>
    stock.filter((productId) => views.isVisible(accountId, listId, productId));
  const ofList = remembered((listId: number) => seen(NOBODY, listId));
  return (accountId) => {
    const listId = views.listOf(accountId);
    return views.hasOwnPrices(accountId) ? seen(accountId, listId) : ofList(listId);
  };
}

/** Asks once for each argument. */
function remembered<Argument, Result>(ask: (argument: Argument) => Result): (argument: Argument) => Result {
  const known = new Map<Argument, Result>();
  return (argument) => {
    const before = known.get(argument);
    if (before !== undefined) return before;
    const result = ask(argument);
    known.set(argument, result);
    return result;
  };
}
