/** Who got this code, from which lot, and when: by the text alone. */
import assert from 'node:assert/strict';
import { forEachAtOnce } from '../at-once.ts';
import { type LedgerText, stateOf } from '../ledger.ts';
import { enterDeed, type Month } from '../month.ts';
import { lastFitting } from './rows.ts';

interface ItemRow {
  readonly productId: number;
  readonly lotId?: number;
  readonly state: string;
  readonly orderId?: number;
  readonly accountId?: number;
  readonly at?: number;
}

export async function everyStateOfText(month: Month): Promise<void> {
  const { ledger, random, isLong } = month;
  const kinds: ((text: LedgerText) => boolean)[] = [
    (text) => stateOf(text) === 'available',
    (text) => stateOf(text) === 'sold' && text.lot !== undefined,
    (text) => stateOf(text) === 'sold' && text.lot?.recall !== undefined,
    (text) => stateOf(text) === 'withdrawn' && text.isTaken === true,
    (text) => stateOf(text) === 'withdrawn' && text.isTaken !== true,
    // Of a supplier, or by hand.
    (text) => text.lot === undefined,
  ];
  for (const isOne of kinds) {
    const fit = lastFitting(ledger.texts, ([, text]) => isOne(text), 1_000);
    assert.ok(fit.length > 0, 'the month has one of each');
    await forEachAtOnce(random.sample(fit, isLong ? 20 : 3), ([text, known]) => compare(month, text, known));
  }
}

export async function replacedTexts(month: Month): Promise<void> {
  const { ledger, random, isLong } = month;
  const replaced = ledger.orders.flatMap(({ replacements }) =>
    replacements.flatMap(({ oldTexts }) => oldTexts),
  );
  assert.ok(replaced.length > 0);
  await forEachAtOnce(random.sample(replaced.slice(-1_000), isLong ? 20 : 3), (text) =>
    compare(month, text, ledger.texts.get(text)),
  );
}

export async function textsNobodyHad(month: Month): Promise<void> {
  await compare(month, 'a text that nobody ever had', undefined);
}

async function compare(month: Month, text: string, known: LedgerText | undefined): Promise<void> {
  const { shop } = month;
  const body = { text, reason: 'who got this?' };
  const found = await shop.tell<{ items: ItemRow[] }>('anna', 'POST', '/items/search', body);
  assert.ok(!JSON.stringify(found).includes(text), 'the text is in no answer');
  const rows = known === undefined ? [] : [expected(known)];
  assert.deepEqual(found.items.map(withoutTime), rows, text);
  const [row] = found.items;
  const order = known?.order;
  const isPlain = order !== undefined && order.product.kind !== 'manual' && order.replacements.length === 0;
  if (isPlain && order.key !== undefined) assert.equal(row?.at, order.createdAt, text);
  const { requestId } = found;
  enterDeed(month, { operator: 'anna', reason: body.reason }, 'ItemsSearched', { requestId });
}

function withoutTime({ at: _, ...row }: ItemRow): object {
  return row;
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
