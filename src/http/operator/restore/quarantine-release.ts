/**
 * Puts items that were in quarantine on sale again: where they were while sales are closed, then as new items with the same
 * texts, in a lot that says what theirs said (docs/decisions/0032).
 *
 * Invariant: an item leaves the quarantine by one fact, and a new one's text is on disk before; so an interruption
 * leaves the rest in quarantine, and a repeated call goes on. A text that the product has elsewhere by now, in a
 * recovered order or in a later upload, was sold or is for sale already: its item is withdrawn. So is one that an order
 * of the gap had, by its receipt.
 */
import type { QuarantineResult } from '../../../engine/decide/command.ts';
import { lotsOf } from '../../../engine/decide/lot-lookup.ts';
import { Rejection } from '../../../engine/decide/rejection.ts';
import { countOf, type ItemRange, ItemRanges, rangesWithout } from '../../../engine/item-ranges.ts';
import { type LotLabel, lotLabel } from '../../../engine/lots.ts';
import type { Origin } from '../../../engine/origin.ts';
import { returning } from '../../../engine/recovery/decide-quarantine.ts';
import { MAX_LISTED_LINES } from '../../../persistence/stock/intake/line-numbers.ts';
import { outstandingAmong } from '../../../persistence/stock/outstanding-texts.ts';
import { durableStockOf } from '../../../persistence/stock/product-stock.ts';
import { Slices } from '../../../shared/slices.ts';
import type { OperatorServices } from '../operator-route.ts';

type Services = Pick<OperatorServices, 'engine' | 'stock' | 'history'>;

/** Items that are added at a time: of no more can all duplicates be told. */
const BATCH_ITEMS = MAX_LISTED_LINES;
/** Items whose texts are read at a time: 4 MB at the greatest length. */
const READ_ITEMS = 256;
/** The label of items that a supplier delivered late, and so in no lot. */
const LATE: LotLabel = { source: 'quarantine' };

export interface Released {
  readonly released: number;
  readonly withdrawn: number;
}

/** All of a product's. Resolves with what became of them, or with what kept it from going on. */
export async function releaseItems(
  services: Services,
  productId: number,
  origin: Origin,
): Promise<Released | Rejection> {
  const sum = { released: 0, withdrawn: 0 };
  for (;;) {
    const batch = firstOf(quarantined(services, productId), BATCH_ITEMS);
    if (batch.length === 0) return sum;
    const done = await releaseBatch(services, productId, batch, origin);
    if (done instanceof Rejection) return done;
    sum.released += done.released;
    sum.withdrawn += done.withdrawn;
  }
}

/** Takes all of a product's off sale for good. */
export async function withdrawItems(
  services: Services,
  productId: number,
  origin: Origin,
): Promise<Released | Rejection> {
  const ranges = quarantined(services, productId);
  const result = await endQuarantine(services, { productId, ranges }, origin);
  return result instanceof Rejection ? result : { released: 0, withdrawn: countOf(ranges) };
}

function quarantined({ engine }: Services, productId: number): readonly ItemRange[] {
  // The list itself changes with the next fact.
  return [...(engine.state.stock.lost(productId)?.quarantined.list ?? [])];
}

async function releaseBatch(
  services: Services,
  productId: number,
  batch: readonly ItemRange[],
  origin: Origin,
): Promise<Released | Rejection> {
  const had = await hadElsewhere(services, productId, batch);
  const keeps = new ItemRanges();
  for (const item of had.items) keeps.add({ firstItem: item, count: 1 });
  const { end } = services.engine.state.stock.of(productId);
  const outstanding = await outstandingAmong(services, productId, rangesWithout(batch, keeps.list), end);
  if (outstanding instanceof Rejection) return outstanding;
  for (const range of outstanding.aside) keeps.add(range);
  const withdrawn = countOf(keeps.list);
  if (withdrawn > 0) {
    const result = await endQuarantine(services, { productId, ranges: keeps.list }, origin);
    if (result instanceof Rejection) return result;
  }
  const ranges = rangesWithout(batch, keeps.list);
  const texts = { recalledItems: had.recalledItems, outstandingChange: outstanding.outstandingChange };
  const back = returning(services.engine.state, productId, ranges);
  if (back.length > 0) {
    const ending = { productId, ranges: back, release: 'inPlace' as const, ...texts };
    const result = await endQuarantine(services, ending, origin);
    if (result instanceof Rejection) return result;
  }
  let released = countOf(back);
  for (const [label, items] of await byLot(services, productId, rangesWithout(ranges, back))) {
    const renewed = await releaseAsNew(services, { productId, ranges: items, ...texts }, label, origin);
    if (renewed instanceof Rejection) return renewed;
    released += renewed;
  }
  return { released, withdrawn };
}

/** Resolves with how many these are; 0 when an upload or a receipt brought one of them meanwhile: the next batch finds it. */
async function releaseAsNew(
  services: Services,
  ending: Ending,
  label: LotLabel,
  origin: Origin,
): Promise<number | Rejection> {
  const { productId, ranges } = ending;
  const count = countOf(ranges);
  const intake = await beginIntake(services, productId, false);
  try {
    for (const texts of textsOf(services, productId, ranges)) await intake.writeItems(texts);
    const { firstItem, added } = await intake.finish();
    if (added !== count) return 0;
    const { recalledItems } = intake;
    const release = { firstItem, label };
    const result = await endQuarantine(services, { ...ending, release, recalledItems }, origin);
    return result instanceof Rejection ? result : count;
  } finally {
    intake.close();
  }
}

/** The items of each lot, with what it says; those that came with none together. */
async function byLot(
  { engine, history }: Services,
  productId: number,
  ranges: readonly ItemRange[],
): Promise<(readonly [LotLabel, readonly ItemRange[]])[]> {
  const slices = new Slices();
  const groups = new Map<number, readonly [LotLabel, ItemRange[]]>();
  for (const range of ranges.toReversed()) {
    for (let end = range.firstItem + range.count; end > range.firstItem; ) {
      const [below] = lotsOf(engine.state, history, productId, end, 1);
      const lot = below === undefined || below.firstItem + below.count < end ? undefined : below;
      const begin = lot?.firstItem ?? (below === undefined ? 0 : below.firstItem + below.count);
      const firstItem = Math.max(begin, range.firstItem);
      const group = groups.get(lot?.lotId ?? 0) ?? ([lot === undefined ? LATE : lotLabel(lot), []] as const);
      group[1].push({ firstItem, count: end - firstItem });
      groups.set(lot?.lotId ?? 0, group);
      end = firstItem;
      if (slices.isFull) await slices.rest();
    }
  }
  return Array.from(groups.values(), ([label, items]) => [label, items.reverse()] as const).reverse();
}

/** The numbers of those items whose texts the product has besides. */
async function hadElsewhere(
  services: Services,
  productId: number,
  batch: readonly ItemRange[],
): Promise<{ readonly items: readonly number[]; readonly recalledItems: number }> {
  const intake = await beginIntake(services, productId, true);
  try {
    for (const texts of textsOf(services, productId, batch)) await intake.writeItems(texts);
    const { lines } = await intake.finish();
    const numbers = batch.flatMap(({ firstItem, count }) =>
      Array.from({ length: count }, (_, at) => firstItem + at),
    );
    const items = (lines?.duplicates.first ?? []).map((line) => numbers[line - 1] ?? 0);
    return { items, recalledItems: intake.recalledItems };
  } finally {
    intake.close();
  }
}

function beginIntake({ engine, stock }: Services, productId: number, isDry: boolean) {
  const readStock = () => durableStockOf(engine, productId, true);
  return stock.beginIntake({ productId, isDry, readStock });
}

function* textsOf(
  { engine, stock }: Services,
  productId: number,
  ranges: readonly ItemRange[],
): IterableIterator<string[]> {
  const { end } = engine.state.stock.of(productId);
  for (const { firstItem, count } of ranges) {
    for (let from = firstItem; from < firstItem + count; from += READ_ITEMS) {
      yield stock.readItems(productId, from, Math.min(READ_ITEMS, firstItem + count - from), end);
    }
  }
}

interface Ending {
  readonly productId: number;
  readonly ranges: readonly ItemRange[];
  readonly release?: 'inPlace' | { readonly firstItem: number; readonly label: LotLabel };
  readonly recalledItems?: number;
  readonly outstandingChange?: number;
}

function endQuarantine(
  { engine }: Services,
  ending: Ending,
  origin: Origin,
): Promise<QuarantineResult | Rejection> {
  return new Promise((resolve) => engine.submit({ kind: 'EndQuarantine', ...ending }, resolve, origin));
}

/** The lowest `most` of these numbers. */
function firstOf(ranges: readonly ItemRange[], most: number): ItemRange[] {
  const found: ItemRange[] = [];
  let left = most;
  for (const { firstItem, count } of ranges) {
    if (left === 0) break;
    const taken = Math.min(count, left);
    found.push({ firstItem, count: taken });
    left -= taken;
  }
  return found;
}
