/**
 * The derivation: the events that facts give, and their accounts (SPEC.md §6). Which a fact gives by itself,
 * `own-events.ts` says. The derivation goes through the facts in their order and keeps only what they can't say themselves:
 * who subscribes, what products looked like, and the open group. All of that is told to the sink when it changes, to be
 * written in one transaction with the events and the cursor.
 *
 * Invariant: events depend on nothing but the facts. There is no clock here, and no option: whoever reads the same
 * journal again, from wherever, has the same events.
 *
 * Catalog and stock are grouped in windows, for all accounts, whether they have a webhook or not: the first change opens
 * one, and it closes as a whole, for both types, before the first fact that is a window later, or by a fact that says so
 * (`EventGroupClosed`), which also says how long windows are from there on. So events come up in the order of their
 * numbers, and each number once: see `eventNumber`.
 */
import { ownEventsOf } from '../../../engine/events/own-events.ts';
import type { Fact } from '../../../engine/fact.ts';
import { NO_ITEM } from '../../../engine/orders.ts';
import type { WebhookEventType } from '../../../engine/webhook.ts';
import { eventNumber, firstNumberAt } from '../../../persistence/webhooks/event-row.ts';
import type { EventGroupRow, PricingRow, Subscriber } from '../../../persistence/webhooks/outbox-rows.ts';
import { BuyerViews, NO_LIST } from './buyer-views.ts';
import { CatalogChanges } from './catalog-changes.ts';
import type { DerivationSink } from './derivation-sink.ts';
import { closeGroup } from './group-events.ts';
import { OpenEventGroup } from './open-event-group.ts';

export interface DerivationOptions {
  readonly sink: DerivationSink;
  readonly subscribers: Iterable<[accountId: number, subscriber: Subscriber]>;
  readonly looks: Iterable<[productId: number, text: string]>;
  readonly pricing: Iterable<PricingRow>;
  readonly group: EventGroupRow;
}

const PURCHASE_EVENTS = ['order.completed', 'balance.low'] as const;

/** The account has no entry while it is as every new one is. */
const NEW_SUBSCRIBER: Subscriber = { webhook: null, webhookConcurrency: 1 };

export class EventDerivation {
  readonly #sink: DerivationSink;
  readonly #subscribers: Map<number, Subscriber>;
  readonly #views: BuyerViews;
  readonly #group: OpenEventGroup;
  readonly #catalog: CatalogChanges;
  #webhooks = 0;
  /** The fact that is being added. */
  #position = 0;
  #atMs = 0;

  constructor(options: DerivationOptions) {
    this.#sink = options.sink;
    this.#subscribers = new Map(options.subscribers);
    const { sink } = options;
    this.#views = new BuyerViews(
      {
        look: sink.look.bind(sink),
        pricing: sink.pricing.bind(sink),
        pricingBefore: (kind, a, b, before) => {
          const number = firstNumberAt(this.#position, this.#group.epoch);
          sink.pricingBefore({ kind, a, b, number, before }, this.#atMs);
        },
      },
      options.looks,
      options.pricing,
    );
    this.#group = new OpenEventGroup(options.group);
    this.#catalog = new CatalogChanges({ views: this.#views, group: this.#group });
    for (const { webhook } of this.#subscribers.values()) if (webhook !== null) this.#webhooks += 1;
  }

  /** Accounts that have a webhook. */
  get webhooks(): number {
    return this.#webhooks;
  }

  get group(): OpenEventGroup {
    return this.#group;
  }

  /** Whether an account is told of its purchases. */
  wantsPurchases(accountId: number): boolean {
    const webhook = this.#subscribers.get(accountId)?.webhook ?? null;
    return webhook !== null && PURCHASE_EVENTS.some((type) => webhook.events.includes(type));
  }

  /** `position` is the fact's; they come one after the other. */
  add(fact: Fact, position: number): void {
    this.#begin(position, fact.atMs);
    for (const { accountId, content } of ownEventsOf(fact)) {
      const { type } = content;
      if (!this.#subscribes(accountId, type)) continue;
      this.#sink.emit(accountId, eventNumber(position, type, this.#group.epoch), content, fact.atMs);
    }
    this.#derive(fact, position);
    if (this.#group.isFull) this.#closeGroup(position, fact.atMs);
  }

  /** The fact of a purchase that nobody is told of, or its refusal: `productId` is what it took from stock, or 0. */
  addPurchase(productId: number, position: number, atMs: number): void {
    this.#begin(position, atMs);
    if (productId !== 0) this.#stockChanged(productId, atMs);
    if (this.#group.isFull) this.#closeGroup(position, atMs);
  }

  #begin(position: number, atMs: number): void {
    if (this.#group.isOver(atMs)) this.#closeGroup(position - 1, atMs);
    this.#position = position;
    this.#atMs = atMs;
  }

  /** Sends the open group's events, if there is one. All facts up to `position` have been added. */
  #closeGroup(position: number, atMs: number): void {
    if (this.#group.isEmpty) return;
    closeGroup(this.#sink, this.#subscribers, this.#views, this.#group, position, atMs);
    this.#group.clear();
    this.#sink.groupChanged();
  }

  #derive(fact: Fact, position: number): void {
    switch (fact.kind) {
      case 'OrderPlaced':
      case 'OrderPaid':
        if (fact.order.firstItem !== NO_ITEM) this.#stockChanged(fact.order.productId, fact.atMs);
        break;
      case 'ProductCreated':
      case 'ProductUpdated':
        this.#catalog.change([fact.productId], 'all', fact.atMs, () =>
          this.#views.setProfile(fact.productId, fact.profile),
        );
        this.#sink.groupChanged();
        if ('dropsSuppliedStock' in fact) this.#stockChanged(fact.productId, fact.atMs);
        break;
      case 'ProductFileSet':
        this.#catalog.change([fact.productId], 'all', fact.atMs, () => this.#views.setFile(fact.productId));
        this.#sink.groupChanged();
        break;
      case 'PriceListCreated':
        this.#views.setPercent(fact.priceListId, fact.profile.percent);
        break;
      case 'PriceListUpdated':
        this.#catalog.changeList(fact);
        this.#sink.groupChanged();
        break;
      case 'PriceListDeleted':
        this.#views.deleteList(fact.priceListId);
        break;
      case 'PricesChanged':
        this.#catalog.changePrices(fact);
        this.#sink.groupChanged();
        break;
      case 'StockWithdrawn':
        if (fact.ranges.length > 0) this.#stockChanged(fact.productId, fact.atMs);
        break;
      case 'LotRecalled':
        if (fact.ranges.length > 0) this.#stockChanged(fact.lot.productId, fact.atMs);
        break;
      case 'StockAdded':
      case 'SupplierPurchaseReconciled':
        if (fact.count > 0) this.#stockChanged(fact.productId, fact.atMs);
        break;
      case 'ItemsQuarantined':
        this.#stockChanged(fact.productId, fact.atMs);
        break;
      case 'QuarantineEnded':
        if (fact.released !== null) this.#stockChanged(fact.productId, fact.atMs);
        break;
      case 'OrderRecovered':
      case 'OrderAmended':
        if (fact.items.length > 0) this.#stockChanged(fact.order.productId, fact.atMs);
        break;
      case 'SupplierStockChanged':
        for (const { productId } of fact.changes) this.#stockChanged(productId, fact.atMs);
        break;
      case 'OrderItemsReplaced':
        this.#stockChanged(fact.order.productId, fact.atMs);
        break;
      case 'WebhookSet':
        this.#setSubscriber(fact.accountId, { webhook: fact.webhook });
        break;
      case 'WebhookRemoved':
        this.#setSubscriber(fact.accountId, { webhook: null });
        this.#sink.cancel(fact.accountId, position);
        break;
      case 'AccountCreated':
        this.#setSubscriber(fact.accountId, { webhookConcurrency: fact.profile.webhookConcurrency });
        this.#views.setListOf(fact.accountId, fact.profile.priceListId ?? NO_LIST, true);
        break;
      case 'AccountUpdated':
        this.#setSubscriber(fact.accountId, { webhookConcurrency: fact.profile.webhookConcurrency });
        this.#catalog.moveTo(fact.accountId, fact.profile.priceListId ?? NO_LIST, fact.atMs);
        this.#sink.groupChanged();
        break;
      case 'EventGroupClosed':
        this.#closeGroup(position, fact.atMs);
        this.#group.windowMs = fact.windowMs;
        this.#sink.groupChanged();
        break;
      case 'EpochBegun':
        this.#group.epoch = fact.epoch;
        this.#sink.groupChanged();
        break;
      case 'OrderOpened':
      case 'HoldPlaced':
      case 'HoldPassed':
      case 'HoldReleased':
      case 'HoldCaptured':
      case 'OrderDelivered':
      case 'OrderFailed':
      case 'OrderCancelled':
      case 'OrderRefunded':
      case 'PurchaseRefused':
      case 'DepositOpened':
      case 'TransferUnclaimed':
      case 'WalletCredited':
      case 'KeyIssued':
      case 'KeyRevoked':
      case 'KeyDeactivated':
      case 'KeyActivated':
      case 'SupplierCreated':
      case 'SupplierUpdated':
      case 'OperatorCreated':
      case 'OperatorTokenIssued':
      case 'OperatorRevoked':
      case 'ItemTextsShown':
      case 'ItemsSearched':
      case 'OperatorActed':
      case 'DebitSettled':
      case 'SalesOpened':
        break;
      default:
        throw new Error(`it isn't known what events come of ${JSON.stringify(fact satisfies never)}`);
    }
  }

  #stockChanged(productId: number, atMs: number): void {
    if (!this.#views.isOnSale(productId)) return;
    this.#group.addStock(productId, atMs);
    this.#sink.groupChanged();
  }

  #subscribes(accountId: number, type: WebhookEventType): boolean {
    return this.#subscribers.get(accountId)?.webhook?.events.includes(type) ?? false;
  }

  #setSubscriber(accountId: number, changed: Partial<Subscriber>): void {
    const before = this.#subscribers.get(accountId) ?? NEW_SUBSCRIBER;
    const subscriber = { ...before, ...changed };
    if (before === NEW_SUBSCRIBER && isNew(subscriber)) return;
    this.#webhooks += Number(subscriber.webhook !== null) - Number(before.webhook !== null);
    this.#subscribers.set(accountId, subscriber);
    this.#sink.subscriber(accountId, subscriber);
  }
}

function isNew({ webhook, webhookConcurrency }: Subscriber): boolean {
  return webhook === null && webhookConcurrency === NEW_SUBSCRIBER.webhookConcurrency;
}
