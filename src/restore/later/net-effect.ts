/**
 * The net effect of facts that a restore leaves out: the rights and prices that they took away from the shop as it is restored. A
 * thing that changed several times is one row, as the last fact left it, and none when it is again as it was.
 *
 * Without the state at the restored moment, a fact that may have replaced something counts as if it had, and says `set`.
 * Memory: a small row for each account, operator, product, supplier and price that changed, which the engine's limits bound, and
 * `MAX_TAKEN_ROWS` lots.
 */
import { type AccountProfile, withSettings } from '../../engine/accounts.ts';
import type { Fact, FactOf } from '../../engine/fact.ts';
import { countOf } from '../../engine/item-ranges.ts';
import { MAX_TAKEN_ROWS } from '../../engine/limits.ts';
import type { Price } from '../../engine/pricing/price.ts';
import { priceIds, priceKey } from '../../engine/pricing/price-rows.ts';
import type { ProductProfile } from '../../engine/products.ts';
import {
  type AccountTerms,
  allTaken,
  TAKEN_KINDS,
  type TakenItems,
  type TakenKey,
  type TakenKinds,
  type TakenLists,
  type TakenLot,
  type TakenOperator,
  type TakenProduct,
  type TakenRows,
  type TakenSecret,
  type TakenWebhook,
  takenRows,
} from '../../engine/taken-away.ts';
import { Changes } from './changes.ts';
import type { RestoredThings } from './restored-things.ts';

/** Kinds of rows that say how a setting was and is. */
type ChangedKind = 'accounts' | 'priceLists' | 'listPrices' | 'accountPrices';

type Offer = Price & Pick<ProductProfile, 'active'>;

export class NetEffect {
  readonly #things: RestoredThings;
  readonly #keys = new Map<number, TakenKey & { readonly isIssued: boolean }>();
  readonly #operators = new Map<number, TakenOperator>();
  readonly #webhooks = new Map<number, TakenWebhook>();
  readonly #products = new Changes<Offer>();
  readonly #terms = new Changes<AccountTerms>();
  readonly #percents = new Changes<number | null>();
  readonly #listPrices = new Changes<Price | null>();
  readonly #accountPrices = new Changes<Price | null>();
  readonly #lots = new Map<number, TakenLot>();
  #moreLots = 0;
  readonly #items = new Map<number, TakenItems>();
  /** Suppliers by id, each with its secret as it was sealed last. */
  readonly #suppliers = new Map<number, { readonly row?: TakenSecret; readonly sealedSecret: string }>();
  /** The lists that earlier restores made of histories that were left. */
  #told: TakenLists | undefined;
  /** Whether those restores had read all facts that they tell of. */
  isComplete = true;

  constructor(things: RestoredThings) {
    this.#things = things;
  }

  get lists(): TakenLists {
    const own: TakenLists = {
      keys: takenRows(
        'keys',
        Array.from(this.#keys.values(), ({ isIssued: _, ...row }) => row),
      ),
      operators: takenRows('operators', this.#operators.values()),
      webhooks: takenRows('webhooks', this.#webhooks.values()),
      products: takenRows('products', this.#takenProducts()),
      lots: takenRows('lots', this.#lots.values(), this.#moreLots),
      items: takenRows('items', this.#items.values()),
      suppliers: takenRows('suppliers', this.#takenSecrets()),
      accounts: this.#changed('accounts', this.#terms, (accountId) => ({ accountId })),
      priceLists: this.#changed('priceLists', this.#percents, (priceListId) => ({ priceListId })),
      listPrices: this.#changed('listPrices', this.#listPrices, (key) => {
        const { ownerId: priceListId, productId } = priceIds(key);
        return { priceListId, productId };
      }),
      accountPrices: this.#changed('accountPrices', this.#accountPrices, (key) => {
        const { ownerId: accountId, productId } = priceIds(key);
        return { accountId, productId };
      }),
    };
    return this.#told === undefined ? own : allTaken(this.#told, own);
  }

  /** Takes the next fact. Facts come in their order; facts of purchases need not come. */
  fact(fact: Fact): void {
    this.#things.note(fact);
    switch (fact.kind) {
      case 'KeyIssued':
      case 'KeyRevoked':
      case 'KeyDeactivated':
      case 'KeyActivated':
        return this.#key(fact);
      case 'OperatorTokenIssued':
      case 'OperatorRevoked':
        return this.#operator(fact);
      case 'WebhookSet':
      case 'WebhookRemoved':
        return this.#webhook(fact);
      case 'ProductUpdated':
        return this.#product(fact);
      case 'AccountUpdated':
        return this.#account(fact);
      case 'PriceListUpdated':
        return this.#priceList(fact);
      case 'PricesChanged':
        return this.#prices(fact);
      case 'LotRecalled':
        return this.#lot(fact);
      case 'StockWithdrawn':
        return this.#withdrawn(fact);
      case 'QuarantineEnded':
        return fact.released === null ? this.#withdrawn(fact) : undefined;
      case 'SupplierUpdated':
        return this.#supplier(fact);
      case 'EpochBegun':
        return this.#epoch(fact);
    }
  }

  #key({ kind, accountId, atMs }: FactOf<'KeyIssued' | 'KeyRevoked' | 'KeyDeactivated' | 'KeyActivated'>) {
    const old = this.#things.state?.accounts.get(accountId)?.key;
    // A key that opened nothing wasn't taken away.
    if (old === null || old?.isActive === false) return;
    const isIssued = kind === 'KeyIssued' || this.#keys.get(accountId)?.isIssued === true;
    const issued = old === undefined ? 'set' : 'replaced';
    const change = { KeyIssued: issued, KeyRevoked: 'revoked', KeyDeactivated: 'deactivated' } as const;
    const row = { accountId, change: kind === 'KeyActivated' ? issued : change[kind], isIssued, atMs };
    if (kind === 'KeyActivated' && !isIssued) this.#keys.delete(accountId);
    else if (this.#things.has('keys', row)) this.#keys.set(accountId, row);
  }

  #operator({ kind, operatorId, atMs }: FactOf<'OperatorTokenIssued' | 'OperatorRevoked'>): void {
    const row = { operatorId, change: kind === 'OperatorRevoked' ? 'revoked' : 'rotated', atMs } as const;
    if (this.#things.has('operators', row)) this.#operators.set(operatorId, row);
  }

  #webhook(fact: FactOf<'WebhookSet' | 'WebhookRemoved'>): void {
    const { accountId, atMs } = fact;
    const old = this.#things.state?.accounts.get(accountId)?.webhook;
    if (old === null) return;
    const isSame = fact.kind === 'WebhookSet' && fact.webhook.url === old?.url;
    const set = old === undefined ? 'set' : isSame ? 'secret' : 'address';
    const row = { accountId, change: fact.kind === 'WebhookRemoved' ? 'deleted' : set, atMs } as const;
    if (this.#things.has('webhooks', row)) this.#webhooks.set(accountId, row);
  }

  #product({ productId, profile, before, atMs }: FactOf<'ProductUpdated'>): void {
    const from = () => this.#things.state?.products.get(productId)?.profile ?? { ...profile, ...before };
    this.#products.note(productId, () => offerOf(from()), offerOf(profile), atMs);
  }

  #account({ accountId, profile, before, atMs }: FactOf<'AccountUpdated'>): void {
    const from = () =>
      this.#things.state?.accounts.get(accountId)?.profile ?? withSettings(profile, before ?? {});
    this.#terms.note(accountId, () => termsOf(from()), termsOf(profile), atMs);
  }

  #priceList({ priceListId, profile, before, atMs }: FactOf<'PriceListUpdated'>): void {
    const from = () => this.#things.state?.priceLists.get(priceListId)?.profile ?? { ...profile, ...before };
    this.#percents.note(priceListId, () => from().percent, profile.percent, atMs);
  }

  /** The fact says of each price what it was, so nobody else need know. */
  #prices({ priceListId, accountId, prices, atMs }: FactOf<'PricesChanged'>): void {
    const changes = priceListId === undefined ? this.#accountPrices : this.#listPrices;
    for (const { productId, price, before } of prices)
      changes.note(priceKey(priceListId ?? accountId ?? 0, productId), () => before, price, atMs);
  }

  #changed<Kind extends ChangedKind, Setting>(
    kind: Kind,
    changes: Changes<Setting>,
    idsOf: (thing: number) => object,
  ): TakenRows<TakenKinds[Kind]> {
    const rows: TakenKinds[Kind][] = [];
    for (const [thing, change] of changes.entries()) {
      const row = { ...idsOf(thing), ...change } as unknown as TakenKinds[Kind];
      if (this.#things.has(kind, row)) rows.push(row);
    }
    return takenRows(kind, rows);
  }

  *#takenProducts(): Iterable<TakenProduct> {
    for (const [productId, { from, to, atMs }] of this.#products.entries()) {
      const isDeactivated = from.active && !to.active;
      const price = { from: priceOf(from), to: priceOf(to) };
      const isRepriced = JSON.stringify(price.from) !== JSON.stringify(price.to);
      const row = { productId, isDeactivated, ...(isRepriced ? { price } : {}), atMs };
      if ((isDeactivated || isRepriced) && this.#things.has('products', row)) yield row;
    }
  }

  #lot({ lot: { lotId, productId, recall }, atMs }: FactOf<'LotRecalled'>): void {
    const row = { lotId, productId, withdrawn: recall?.withdrawn ?? 0, atMs };
    if (!this.#things.has('lots', row)) return;
    if (this.#lots.size < MAX_TAKEN_ROWS) this.#lots.set(lotId, row);
    else this.#moreLots += 1;
  }

  #withdrawn({ productId, ranges, atMs }: FactOf<'StockWithdrawn' | 'QuarantineEnded'>): void {
    const end = this.#things.endOfItems(productId);
    const there = ranges
      .filter(({ firstItem }) => firstItem < end)
      .map(({ firstItem, count }) => ({ firstItem, count: Math.min(count, end - firstItem) }));
    const [first] = there;
    const last = there.at(-1);
    if (first === undefined || last === undefined) return;
    const known = this.#items.get(productId);
    const row = {
      productId,
      count: countOf(there) + (known?.count ?? 0),
      firstItem: Math.min(first.firstItem, known?.firstItem ?? first.firstItem),
      lastItem: Math.max(last.firstItem + last.count - 1, known?.lastItem ?? 0),
      atMs,
    };
    if (this.#things.has('items', row)) this.#items.set(productId, row);
  }

  #supplier({ supplierId, profile: { sealedSecret }, atMs }: FactOf<'SupplierUpdated'>): void {
    const known = this.#suppliers.get(supplierId);
    const old = known?.sealedSecret ?? this.#things.state?.suppliers.get(supplierId)?.profile.sealedSecret;
    const row = { supplierId, change: old === undefined ? 'set' : 'secret', atMs } as const;
    const isTaken = old !== sealedSecret && this.#things.has('suppliers', row);
    this.#suppliers.set(supplierId, { ...known, sealedSecret, ...(isTaken ? { row } : {}) });
  }

  *#takenSecrets(): Iterable<TakenSecret> {
    for (const { row } of this.#suppliers.values()) if (row !== undefined) yield row;
  }

  #epoch({ takenAway }: FactOf<'EpochBegun'>): void {
    if (takenAway === undefined) return;
    this.isComplete &&= takenAway.isComplete;
    const there = TAKEN_KINDS.map((kind) => {
      const { count, rows } = takenAway[kind];
      const left = (rows as readonly TakenKinds[typeof kind][]).filter((row) => this.#things.has(kind, row));
      return [kind, { count: count - rows.length + left.length, rows: left }];
    });
    const told = Object.fromEntries(there) as TakenLists;
    this.#told = this.#told === undefined ? told : allTaken(this.#told, told);
  }
}

function offerOf({ active, ...profile }: Offer): Offer {
  return { active, ...priceOf(profile) };
}

function priceOf({ priceMicros, priceTiers }: Price): Price {
  return { priceMicros, priceTiers };
}

function termsOf({ priceListId, spendLimits, allowedNetworks }: AccountProfile): AccountTerms {
  return {
    ...(priceListId === undefined ? {} : { priceListId }),
    ...(spendLimits === undefined ? {} : { spendLimits }),
    ...(allowedNetworks === undefined ? {} : { allowedNetworks }),
  };
}
