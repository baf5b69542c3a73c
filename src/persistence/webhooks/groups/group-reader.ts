/**
 * The reader of groups: what each account was told, also one that had no webhook. Any thread that only reads may have one.
 *
 * Invariant: a subscriber's deliveries say exactly what this says, for it gives their products. A list's groups are those of
 * the accounts that had it when they came up, so an account's way through lists is followed; an account that was told
 * something else has an entry of its own. Stock is told to an account as far as it could see it then.
 */
import type { GroupType } from '../../../engine/events/own-events.ts';
import { readNumberKey } from '../../codec/number-key.ts';
import { eventTypeOf } from '../event-row.ts';
import { type OutboxFile, readRows } from '../outbox-file.ts';
import type { OutboxStore } from '../outbox-store.ts';
import { blockKey, type GroupEntry, type GroupStream, readBlock, STOCK, streamKey } from './group-block.ts';
import { NOT_THERE, type PricedKind, PricingHistory } from './pricing-before.ts';

export interface ToldGroup {
  readonly number: number;
  readonly type: GroupType;
  /** The latest last; none when the account was told nothing: there is no such event then. */
  readonly productIds: readonly number[];
  /** Unix milliseconds. */
  readonly createdAtMs: number;
}

/** Entries in memory, since a group is wanted once for each subscriber, mostly at about the same time. */
const MOST_REMEMBERED = 256;

export class GroupReader {
  readonly #store: Pick<OutboxStore, 'file' | 'goneBelow'>;
  readonly #remembered = new Map<string, GroupEntry | undefined>();

  constructor(store: Pick<OutboxStore, 'file' | 'goneBelow'>) {
    this.#store = store;
  }

  /**
   * Groups with numbers above `number`, in their order; also those of which the account was told nothing, so that who
   * reads can count and go on behind them. Read them without a pause. Throws `DamagedDataError`.
   */
  *behind(accountId: number, number: number): IterableIterator<ToldGroup> {
    const views = new AccountViews(this.#store.file, accountId);
    const from = Math.max(number, this.#store.goneBelow() - 1, views.born - 1);
    const streams = [
      this.#entries({ kind: 'catalogOfAccount', id: accountId }, from),
      this.#ofLists(views, from),
      this.#entries(STOCK, from),
    ];
    for (const entry of inOrder(streams)) yield told(entry, views);
  }

  /** The group as the account was told of it. Undefined when there is none, or it is gone. Throws `DamagedDataError`. */
  told(accountId: number, number: number): ToldGroup | undefined {
    if (number < this.#store.goneBelow()) return undefined;
    const views = new AccountViews(this.#store.file, accountId);
    if (number < views.born) return undefined;
    const entry =
      eventTypeOf(number) === 'stock.changed'
        ? this.#shared(STOCK, number)
        : (this.#entry({ kind: 'catalogOfAccount', id: accountId }, number) ??
          this.#shared({ kind: 'catalogOfList', id: views.listAt(number) }, number));
    return entry && told(entry, views);
  }

  /** The last group up to `number` of which the account was told something. Throws `DamagedDataError`. */
  newest(accountId: number, number: number): ToldGroup | undefined {
    const { lists, born } = new AccountViews(this.#store.file, accountId);
    const ids = new Set(Array.from(lists.values(), ({ value }) => value));
    const streams: GroupStream[] = [{ kind: 'catalogOfAccount', id: accountId }, STOCK];
    for (const id of ids) if (id !== NOT_THERE) streams.push({ kind: 'catalogOfList', id });
    const from = Math.max(born, this.#store.goneBelow());
    for (const each of newestFirst(streams.map((stream) => this.#back(stream, number)))) {
      if (each < from) return undefined;
      const group = this.told(accountId, each);
      if (group !== undefined && group.productIds.length > 0) return group;
    }
    return undefined;
  }

  *#ofLists(views: AccountViews, number: number): IterableIterator<GroupEntry> {
    let from = number;
    for (const { value, until } of views.lists.values()) {
      if (until <= from + 1) continue;
      for (const entry of this.#entries({ kind: 'catalogOfList', id: value }, from)) {
        if (entry.number >= until) break;
        yield entry;
      }
      from = until - 1;
    }
  }

  /** Entries of a stream with higher numbers. */
  *#entries(stream: GroupStream, number: number): IterableIterator<GroupEntry> {
    const end = blockKey(stream, Number.MAX_SAFE_INTEGER);
    const start = this.#blockWith(stream, number) ?? blockKey(stream, number);
    for (const { key, payload } of readRows(this.#store.file, 'groups', { start, end }))
      for (const entry of readBlock(payload, readNumberKey(key, 16))) if (entry.number > number) yield entry;
  }

  /** Numbers of a stream's entries up to `number`, the highest first. */
  *#back(stream: GroupStream, number: number): IterableIterator<number> {
    const range = { start: blockKey(stream, number), end: streamKey(stream), reverse: true };
    for (const { key, payload } of readRows(this.#store.file, 'groups', range)) {
      const entries = [...readBlock(payload, readNumberKey(key, 16))].reverse();
      for (const entry of entries) if (entry.number <= number) yield entry.number;
    }
  }

  /** The key of the last block that begins at the number, or below. */
  #blockWith(stream: GroupStream, number: number): Buffer | undefined {
    const range = { start: blockKey(stream, number), end: streamKey(stream), reverse: true, limit: 1 };
    for (const { key } of readRows(this.#store.file, 'groups', range)) return Buffer.from(key);
    return undefined;
  }

  #entry(stream: GroupStream, number: number): GroupEntry | undefined {
    const [entry] = this.#entries(stream, number - 1);
    return entry?.number === number ? entry : undefined;
  }

  #shared(stream: GroupStream, number: number): GroupEntry | undefined {
    const name = `${stream.kind} ${stream.id} ${number}`;
    if (this.#remembered.has(name)) return this.#remembered.get(name);
    const entry = this.#entry(stream, number);
    if (this.#remembered.size === MOST_REMEMBERED) this.#remembered.clear();
    // One that isn't there may come yet: it is read before it is written by who follows.
    if (entry !== undefined) this.#remembered.set(name, entry);
    return entry;
  }
}

/** The view that an account had of products when groups came up. */
class AccountViews {
  readonly #file: OutboxFile;
  readonly #accountId: number;
  readonly #prices = new Map<string, PricingHistory>();
  readonly lists: PricingHistory;
  /** The lowest number that an event of the account can have. */
  readonly born: number;

  constructor(file: OutboxFile, accountId: number) {
    this.#file = file;
    this.#accountId = accountId;
    this.lists = new PricingHistory(file, 'account', accountId, 0);
    this.born = this.lists.changes.find(({ before }) => before === NOT_THERE)?.number ?? 0;
  }

  listAt(number: number): number {
    return this.lists.at(number);
  }

  /** Whether the account could see a product that only those see whose prices name it. */
  isListedFor(productId: number, number: number): boolean {
    if (this.#hadPrice('ownPrice', this.#accountId, productId, number)) return true;
    const list = this.listAt(number);
    return list > 0 && this.#hadPrice('listPrice', list, productId, number);
  }

  #hadPrice(kind: PricedKind, a: number, productId: number, number: number): boolean {
    const name = `${kind} ${a} ${productId}`;
    const history = this.#prices.get(name) ?? new PricingHistory(this.#file, kind, a, productId);
    this.#prices.set(name, history);
    return history.at(number) === 1;
  }
}

function told({ number, createdAtMs, productIds, listed }: GroupEntry, views: AccountViews): ToldGroup {
  const type = eventTypeOf(number) as GroupType;
  if (listed.length === 0) return { number, type, productIds, createdAtMs };
  const hidden = new Set(listed.filter((productId) => !views.isListedFor(productId, number)));
  return { number, type, productIds: productIds.filter((productId) => !hidden.has(productId)), createdAtMs };
}

/** Each number once. */
function* newestFirst(streams: readonly IterableIterator<number>[]): IterableIterator<number> {
  const next = streams.map((stream) => stream.next().value as number | undefined);
  for (;;) {
    const highest = Math.max(...next.map((number) => number ?? Number.NEGATIVE_INFINITY));
    if (highest === Number.NEGATIVE_INFINITY) return;
    for (const [at, number] of next.entries())
      if (number === highest) next[at] = streams[at]?.next().value as number | undefined;
    yield highest;
  }
}

/** By their numbers; of one number, the first stream's counts. */
function* inOrder(streams: readonly IterableIterator<GroupEntry>[]): IterableIterator<GroupEntry> {
  const next = streams.map((stream) => stream.next().value as GroupEntry | undefined);
  for (;;) {
    let first: GroupEntry | undefined;
    for (const entry of next)
      if (entry !== undefined && !(first && first.number <= entry.number)) first = entry;
    if (first === undefined) return;
    for (const [at, entry] of next.entries())
      if (entry?.number === first.number) next[at] = streams[at]?.next().value as GroupEntry | undefined;
    yield first;
  }
}
