/**
 * The quarantine: items that are set aside because a gap may have sold them (docs/decisions/0032), and its end.
 *
 * Invariant: only what is for sale is set aside, and an item leaves the quarantine once. While sales are closed, a
 * released item stands where it was: the next quarantine takes the items that the gap sold first, and none that came
 * since.
 */
import type { CommandOf, QuarantineResult } from '../decide/command.ts';
import { meanwhileRefusal, tooManyRanges, tooMuchStock } from '../decide/decide-product.ts';
import { type Deciders, noSuch } from '../decide/decision.ts';
import { Rejection } from '../decide/rejection.ts';
import { countOf, type ItemRange } from '../item-ranges.ts';
import { MAX_ITEMS_PER_PRODUCT, MAX_RECOVERED_RANGES, MAX_WITHDRAWN_RANGES } from '../limits.ts';
import type { State } from '../state.ts';

export const quarantineDeciders = {
  QuarantineItems(state, { productId, count: wanted }, atMs) {
    const { products, stock } = state;
    if (products.get(productId) === undefined) return noSuch('product');
    const count = Math.min(wanted, stock.available(productId));
    if (count === 0) return quarantineResult(state, productId, []);
    // They become one range with the gaps between them.
    if (stock.withdrawn(productId).length > MAX_RECOVERED_RANGES) return tooManyRanges();
    const ranges = stock.itemsFrom(productId, stock.of(productId).next, count).slice(0, MAX_WITHDRAWN_RANGES);
    return { kind: 'ItemsQuarantined', productId, ranges, atMs };
  },
  EndQuarantine(state, command, atMs) {
    const { productId, ranges, release } = command;
    const { products, stock } = state;
    if (products.get(productId) === undefined) return noSuch('product');
    const lost = stock.lost(productId);
    const areIn = ranges.every(({ firstItem, count }) => {
      return countOf(lost?.quarantined.within(firstItem, count) ?? []) === count;
    });
    if (!areIn) {
      // A receipt may have claimed them while the command waited.
      return new Rejection(
        'TRANSITION_NOT_ALLOWED',
        'Some of these items are not in quarantine (any more). Try again.',
      );
    }
    if (ranges.length === 0) return quarantineResult(state, productId, []);
    if (release === undefined) return { kind: 'QuarantineEnded', productId, ranges, released: null, atMs };
    const recalled = stock.recalled(productId);
    const refusal = meanwhileRefusal(stock, productId, command);
    if (refusal !== undefined) return refusal;
    if (ranges.some((range) => recalled.some((lot) => doOverlap(range, lot)))) {
      return new Rejection(
        'TRANSITION_NOT_ALLOWED',
        'Some of these items were recalled. Withdraw them instead.',
      );
    }
    if (release === 'inPlace') {
      return (
        inPlaceRefusal(state, command) ?? {
          kind: 'QuarantineEnded',
          productId,
          ranges,
          released: release,
          atMs,
        }
      );
    }
    const { firstItem, label } = release;
    const count = countOf(ranges);
    if (firstItem + count > MAX_ITEMS_PER_PRODUCT) return tooMuchStock();
    const lot = { lotId: state.lastLotId + 1, ...label };
    return { kind: 'QuarantineEnded', productId, ranges, released: { firstItem, count, lot }, atMs };
  },
} satisfies Partial<Deciders>;

/**
 * The part of these quarantined items that a release puts back where they were: while sales are closed, those behind
 * which no order took anything. A quarantine of an earlier gap may be older than orders.
 */
export function returning(
  { gap, stock }: State,
  productId: number,
  ranges: readonly ItemRange[],
): readonly ItemRange[] {
  if (gap === null) return [];
  const from = stock.untakenFrom(productId);
  return ranges.filter(({ firstItem }) => firstItem >= from);
}

function inPlaceRefusal(
  state: State,
  { productId, ranges }: CommandOf<'EndQuarantine'>,
): Rejection | undefined {
  if (returning(state, productId, ranges).length < ranges.length) {
    return new Rejection('TRANSITION_NOT_ALLOWED', 'Sales were opened meanwhile. Try again.');
  }
  return state.stock.withdrawn(productId).length + ranges.length > MAX_RECOVERED_RANGES
    ? tooManyRanges()
    : undefined;
}

/** After the items have left the quarantine, or entered it. */
export function quarantineResult(
  { stock }: State,
  productId: number,
  ranges: readonly ItemRange[],
): QuarantineResult {
  const quarantined = countOf(stock.lost(productId)?.quarantined.list ?? []);
  return { ranges, quarantined, availableStock: stock.available(productId) };
}

function doOverlap(a: ItemRange, b: ItemRange): boolean {
  return a.firstItem < b.firstItem + b.count && b.firstItem < a.firstItem + a.count;
}
