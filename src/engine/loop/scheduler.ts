/**
 * Fair turns: every account with work, then every product with work, gets one command done at a time.
 *
 * A command enters its account's mailbox; its turn there moves it to its product's mailbox; its turn there
 * gets it decided. So one account that floods delays only itself, and one product that everybody wants
 * delays only those who want it. Accounts get their turns when no product has work. A full product mailbox
 * leaves the account's command where it is and the turn goes to the next account. Mailboxes exist only while they
 * hold something.
 */
import { ACCOUNT_MAILBOX_CAPACITY, MAX_WAITING_COMMANDS, PRODUCT_MAILBOX_CAPACITY } from '../limits.ts';
import { Mailbox } from './mailbox.ts';

/** The mailboxes of a piece of work. */
export interface Scheduled {
  /** 0 for work that concerns no account. */
  readonly accountId: number;
  /** 0 for work that concerns no product. */
  readonly productId: number;
}

/** A mailbox and the id of the account or product that it is for. */
class OwnedMailbox<Item> {
  id = 0;
  readonly mailbox: Mailbox<Item>;

  constructor(capacity: number) {
    this.mailbox = new Mailbox(capacity);
  }
}

/** Empty mailboxes kept for reuse: more are made and dropped as needed. */
const SPARE_MAILBOXES = 256;

/** Mailboxes by the id of their owner, and the queue of those that have something. */
class Mailboxes<Item> {
  readonly #capacity: number;
  /** Ids are given out in order, so an array finds them fastest; it has mailboxes only where there is work. */
  readonly #byId: (OwnedMailbox<Item> | undefined)[] = [];
  readonly #waiting: Mailbox<OwnedMailbox<Item>>;
  readonly #spare: OwnedMailbox<Item>[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#waiting = new Mailbox(MAX_WAITING_COMMANDS);
  }

  get active(): number {
    return this.#waiting.size;
  }

  has(id: number): boolean {
    return this.#byId[id] !== undefined;
  }

  isFull(id: number): boolean {
    return this.#byId[id]?.mailbox.isFull ?? false;
  }

  put(id: number, item: Item): boolean {
    const owned = this.#byId[id] ?? this.#open(id);
    return owned.mailbox.put(item);
  }

  /** The next command of the mailbox whose turn it is, unless `isBlocked` says that it must wait. */
  take(isBlocked?: (item: Item) => boolean): Item | undefined {
    const owned = this.#waiting.take();
    if (owned === undefined) return undefined;
    const first = owned.mailbox.peek();
    const item = first !== undefined && isBlocked?.(first) ? undefined : owned.mailbox.take();
    if (owned.mailbox.size > 0) this.#waiting.put(owned);
    else this.#close(owned);
    return item;
  }

  #open(id: number): OwnedMailbox<Item> {
    const owned = this.#spare.pop() ?? new OwnedMailbox<Item>(this.#capacity);
    owned.id = id;
    this.#byId[id] = owned;
    this.#waiting.put(owned);
    return owned;
  }

  #close(owned: OwnedMailbox<Item>): void {
    this.#byId[owned.id] = undefined;
    if (this.#spare.length < SPARE_MAILBOXES) this.#spare.push(owned);
  }
}

export class Scheduler<Item extends Scheduled> {
  readonly #accounts = new Mailboxes<Item>(ACCOUNT_MAILBOX_CAPACITY);
  readonly #products = new Mailboxes<Item>(PRODUCT_MAILBOX_CAPACITY);
  readonly #isBlocked = (item: Item): boolean => this.#products.isFull(item.productId);
  #size = 0;

  /** Commands that wait. */
  get size(): number {
    return this.#size;
  }

  /** False when the account's mailbox, or the engine as a whole, is full. */
  put(item: Item): boolean {
    if (this.#size >= MAX_WAITING_COMMANDS) return false;
    if (!this.#accounts.put(item.accountId, item)) return false;
    this.#size += 1;
    return true;
  }

  /** The command whose turn it is. */
  take(): Item | undefined {
    if (this.#products.active === 0) this.#moveToProducts();
    const item = this.#products.take();
    if (item !== undefined) this.#size -= 1;
    return item;
  }

  /** One turn for every account that has work, from its own mailbox to its product's. */
  #moveToProducts(): void {
    for (let turns = this.#accounts.active; turns > 0; turns -= 1) {
      const item = this.#accounts.take(this.#isBlocked);
      if (item !== undefined) this.#products.put(item.productId, item);
    }
  }
}
