/**
 * Fair turns: every account with work, then every product with work, gets one command done at a time.
 *
 * A command enters its account's mailbox; its turn there moves it to its product's mailbox; its turn there
 * gets it decided. So one account that floods delays only itself, and one product that everybody wants
 * delays only those who want it. Accounts get their round when the products' round is done. A full product mailbox
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

class Lane<Item> {
  id = 0;
  readonly mailbox: Mailbox<Item>;

  constructor(capacity: number) {
    this.mailbox = new Mailbox(capacity);
  }
}

/** Empty lanes kept for reuse: more are made and dropped as needed. */
const SPARE_LANES = 256;

/** Mailboxes by id, and the round of those that hold something. */
class Lanes<Item> {
  readonly #capacity: number;
  /** Ids are given out in order, so an array finds them fastest; it holds lanes only where there is work. */
  readonly #byId: (Lane<Item> | undefined)[] = [];
  readonly #round: Mailbox<Lane<Item>>;
  readonly #spare: Lane<Item>[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#round = new Mailbox(MAX_WAITING_COMMANDS);
  }

  get active(): number {
    return this.#round.size;
  }

  has(id: number): boolean {
    return this.#byId[id] !== undefined;
  }

  isFull(id: number): boolean {
    return this.#byId[id]?.mailbox.isFull ?? false;
  }

  put(id: number, item: Item): boolean {
    const lane = this.#byId[id] ?? this.#open(id);
    return lane.mailbox.put(item);
  }

  /** The next command of the lane whose turn it is, unless `isBlocked` says that it must wait. */
  take(isBlocked?: (item: Item) => boolean): Item | undefined {
    const lane = this.#round.take();
    if (lane === undefined) return undefined;
    const first = lane.mailbox.peek();
    const item = first !== undefined && isBlocked?.(first) ? undefined : lane.mailbox.take();
    if (lane.mailbox.size > 0) this.#round.put(lane);
    else this.#close(lane);
    return item;
  }

  #open(id: number): Lane<Item> {
    const lane = this.#spare.pop() ?? new Lane<Item>(this.#capacity);
    lane.id = id;
    this.#byId[id] = lane;
    this.#round.put(lane);
    return lane;
  }

  #close(lane: Lane<Item>): void {
    this.#byId[lane.id] = undefined;
    if (this.#spare.length < SPARE_LANES) this.#spare.push(lane);
  }
}

export class Scheduler<Item extends Scheduled> {
  readonly #accounts = new Lanes<Item>(ACCOUNT_MAILBOX_CAPACITY);
  readonly #products = new Lanes<Item>(PRODUCT_MAILBOX_CAPACITY);
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
    if (this.#products.active === 0) this.#moveRound();
    const item = this.#products.take();
    if (item !== undefined) this.#size -= 1;
    return item;
  }

  /** One turn for every account that has work, from its own mailbox to its product's. */
  #moveRound(): void {
    for (let turns = this.#accounts.active; turns > 0; turns -= 1) {
      const item = this.#accounts.take(this.#isBlocked);
      if (item !== undefined) this.#products.put(item.productId, item);
    }
  }
}
