/** What happened to an order, in one answer: oldest first, with who did it and why. */
import assert from 'node:assert/strict';
import { forEachAtOnce } from '../at-once.ts';
import type { LedgerOrder } from '../ledger.ts';
import type { Month } from '../month.ts';

interface Event {
  readonly at: number;
  readonly type: string;
  readonly operator?: string;
  readonly reason?: string;
}

export async function timelinesOfEachKind(month: Month): Promise<void> {
  const { ledger, random } = month;
  const kinds: ((order: LedgerOrder) => boolean)[] = [
    ({ refunds, replacements }) => refunds.length + replacements.length === 0,
    ({ refunds }) => refunds.length > 0,
    ({ refunds }) => refunds.length > 1,
    ({ replacements }) => replacements.length > 0,
    ({ status }) => status === 'failed',
    ({ status }) => status === 'processing',
    ({ product }) => product.kind === 'manual',
    ({ product }) => product.kind === 'supplied',
    ({ product }) => product.kind === 'late',
  ];
  for (const isOne of kinds) {
    const fit = ledger.orders.filter(isOne);
    assert.ok(fit.length > 0, 'the month has one of each');
    await forEachAtOnce(random.sample(fit.slice(-500), 3), (order) => compare(month, order));
  }
}

async function compare({ shop }: Month, order: LedgerOrder): Promise<void> {
  const path = `/orders/${order.orderId}/timeline`;
  const { events, ...rest } = await shop.tell<{ events: Event[] }>('dora', 'GET', path);
  const title = `${path}: ${JSON.stringify(events)}`;
  assert.ok(events.length > 0, title);
  for (const [at, event] of events.entries()) {
    const before = events[at - 1];
    assert.ok(before === undefined || before.at <= event.at, title);
  }
  const text = JSON.stringify({ events, rest });
  for (const item of order.texts) assert.ok(!text.includes(item), 'no text of an item is in a timeline');
  compareDeeds(events, /refund/i, order.refunds, title);
  compareDeeds(events, /replace/i, order.replacements, title);
  const isAsked = order.product.kind === 'supplied' || order.product.kind === 'late';
  assert.equal(
    events.some(({ type }) => /hold|supplier|captured/i.test(type)),
    isAsked,
    title,
  );
}

function compareDeeds(
  events: readonly Event[],
  type: RegExp,
  deeds: readonly { readonly operator?: string; readonly reason?: string | undefined }[],
  title: string,
): void {
  assert.deepEqual(
    events.filter((event) => type.test(event.type)).map(({ operator, reason }) => ({ operator, reason })),
    deeds.map(({ operator, reason }) => ({ operator, reason })),
    title,
  );
}
