/**
 * A program that never had a webhook and knows its account by its events alone: what it makes of them, page by page, while
 * the shop is killed, stopped and restored around it.
 */
import assert from 'node:assert/strict';
import type { BuyerEvent } from '../../../support/buyer-client.ts';
import { ok } from '../../../support/operator-client.ts';
import type { Random } from '../../../support/random.ts';
import type { ServerUnderTest } from '../shop/server-under-test.ts';

/** An order as far as it is delivered, failed or refunded. */
interface Known {
  readonly state: 'completed' | 'failed';
  readonly refundedUsdt: number;
}

/** What an account has come to. */
export interface Books {
  readonly orders: Readonly<Record<number, Known>>;
  /** In their order. */
  readonly credits: readonly string[];
}

export class EventReader {
  readonly #apiKey: string;
  readonly #random: Random;
  #last: string | undefined;
  #orders = new Map<number, Known>();
  #credits: string[] = [];
  readonly ids = new Set<string>();
  groups = 0;
  /** How often it had to begin again. */
  begun = 0;

  constructor(apiKey: string, random: Random) {
    this.#apiKey = apiKey;
    this.#random = random;
  }

  get books(): Books {
    return { orders: Object.fromEntries(this.#orders), credits: this.#credits };
  }

  /** Reads a page, or some; throws when the connection does. True when there was no more. */
  async read(server: ServerUnderTest, wait = 0): Promise<boolean> {
    const query = { limit: this.#random.between(1, 60), wait };
    const after = this.#last === undefined ? {} : { after: this.#last };
    const { status, body, text } = await server.buyers.events(this.#apiKey, { ...query, ...after });
    if (status === 410) {
      assert.equal(body.error, 'EVENTS_GONE');
      this.#begin();
      return false;
    }
    assert.equal(status, 200, text);
    for (const event of body.events ?? []) this.#take(event);
    if (typeof body.lastEventId === 'string') this.#last = body.lastEventId;
    return body.hasMore === false;
  }

  async readAll(server: ServerUnderTest): Promise<void> {
    while (!(await this.read(server)));
  }

  #begin(): void {
    this.#last = undefined;
    this.#orders = new Map();
    this.#credits = [];
    this.ids.clear();
    this.groups = 0;
    this.begun += 1;
  }

  #take({ eventId, type, ...event }: BuyerEvent): void {
    assert.ok(this.#last === undefined || eventId > this.#last, `${eventId} came behind ${this.#last}`);
    this.#last = eventId;
    this.ids.add(eventId);
    if ('productIds' in event) this.groups += 1;
    const orderId = Number(event.orderId);
    const before = this.#orders.get(orderId);
    if (type === 'balance.credited') this.#credits.push(String(event.reference));
    if (type === 'order.completed' || type === 'order.failed') {
      assert.equal(before, undefined, `order ${orderId} ended twice`);
      this.#orders.set(orderId, { state: type === 'order.failed' ? 'failed' : 'completed', refundedUsdt: 0 });
    }
    if (type !== 'order.refunded') return;
    assert.ok(before, `order ${orderId} was refunded before it was delivered`);
    assert.equal(before.refundedUsdt + Number(event.refundedUsdt), event.totalRefundedUsdt);
    this.#orders.set(orderId, { ...before, refundedUsdt: Number(event.totalRefundedUsdt) });
  }
}

/** The shop's own books of an account. */
export async function booksOf({ operator }: ServerUnderTest, accountId: number): Promise<Books> {
  const orders: [number, Known][] = [];
  let more = '';
  do {
    const page = await ok(operator.json('GET', `/orders?accountId=${accountId}&limit=1000${more}`));
    for (const { orderId = 0, status, refundedUsdt = 0 } of page.orders ?? [])
      if (status !== 'pending_delivery')
        orders.push([orderId, { state: status === 'failed' ? 'failed' : 'completed', refundedUsdt }]);
    more = page.nextCursor === undefined ? '' : `&cursor=${page.nextCursor}`;
  } while (more !== '');
  const statement = await ok(operator.json('GET', `/accounts/${accountId}/statement?limit=1000`));
  const { movements } = statement as unknown as { movements: { kind: string; reference?: string }[] };
  const credits = movements.filter(({ kind }) => kind === 'credit').map(({ reference = '' }) => reference);
  return { orders: Object.fromEntries(orders), credits };
}
