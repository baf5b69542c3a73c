/** Who got this code, from which lot, and when: by the text alone. */
import assert from 'node:assert/strict';
import { type LedgerText, stateOf } from '../ledger.ts';
import { enterDeed, type Month } from '../month.ts';

interface ItemRow {
  readonly productId: number;
  readonly lotId?: number;
  readonly state: string;
  readonly orderId?: number;
  readonly accountId?: number;
  readonly at?: number;
}

export async function everyStateOfText(month: Month): Promise<void> {
  const { ledger, random } = month;
  const replaced = new Set(
    ledger.orders.flatMap(({ replacements }) => replacements.flatMap(({ oldTexts }) => oldTexts)),
  );
  const kinds: ((known: LedgerText, text: string) => boolean)[] = [
    (known) => stateOf(known) === 'available',
    (known) => stateOf(known) === 'sold' && known.lot !== undefined,
    (known) => stateOf(known) === 'sold' && known.lot?.recall !== undefined,
    (known) => stateOf(known) === 'withdrawn' && known.isTaken,
    (known) => stateOf(known) === 'withdrawn' && !known.isTaken,
    // Of a supplier, or by hand.
    (known) => known.lot === undefined,
    (_, text) => replaced.has(text),
  ];
  for (const isOne of kinds) {
    const fit = [...ledger.texts].filter(([text, known]) => isOne(known, text));
    assert.ok(fit.length > 0, 'the month has one of each');
    for (const [text, known] of random.sample(fit, 5)) await compare(month, text, known);
  }
  await compare(month, 'a text that nobody ever had', undefined);
}

async function compare(month: Month, text: string, known: LedgerText | undefined): Promise<void> {
  const { shop } = month;
  const body = { text, reason: 'who got this?' };
  const found = await shop.tell<{ items: ItemRow[] }>('anna', 'POST', '/items/search', body);
  assert.ok(!JSON.stringify(found).includes(text), 'the text is in no answer');
  const rows = known === undefined ? [] : [expected(known)];
  assert.deepEqual(
    found.items.map(({ at: _, ...row }) => row),
    rows,
    text,
  );
  const [row] = found.items;
  const order = known?.order;
  const isPlain = order !== undefined && order.product.kind !== 'manual' && order.replacements.length === 0;
  if (isPlain) assert.equal(row?.at, order.createdAt, text);
  const { requestId } = found;
  enterDeed(month, { operator: 'anna', reason: body.reason }, 'ItemsSearched', { requestId });
}

function expected(text: LedgerText): object {
  const { product, lot, order } = text;
  return {
    productId: product.productId,
    ...(lot === undefined ? {} : { lotId: lot.lotId }),
    state: stateOf(text),
    ...(order === undefined ? {} : { orderId: order.orderId, accountId: order.account.accountId }),
  };
}
