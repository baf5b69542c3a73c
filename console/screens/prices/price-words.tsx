/** Rules and percents of prices in words. */
import type { ComponentChildren } from 'preact';
import type { Schema } from '../../api/call-types.ts';
import { NameLink } from '../shell/known-names.tsx';

type Percent = Schema<'PriceList'>['percent'];
type Rule = Schema<'ExplainedPrice'>['rule'];

/** `12.5 % off`. */
export function percentWords(percent: Percent): string {
  if (percent === null) return 'none';
  if (percent === 0) return '0 %';
  return percent < 0 ? `${-percent} % off` : `${percent} % more`;
}

interface RuleProps {
  readonly rule: Rule;
  readonly priceListId: number | undefined;
  /** That of the list, where it is known to be the one that holds. */
  readonly percent?: Percent | undefined;
}

/** The rule that a price is by. */
export function RuleWords({ rule, priceListId = 0, percent }: RuleProps): ComponentChildren {
  const list = <NameLink kind="price-list" id={priceListId} />;
  switch (rule) {
    case 'account':
      return <>the account’s own price</>;
    case 'list':
      return <>the price list {list}</>;
    case 'percent':
      return percent === undefined ? (
        <>the percent of the price list {list}</>
      ) : (
        <>
          {list}: {percentWords(percent)}
        </>
      );
    case 'product':
      return <>the product’s price</>;
  }
}
