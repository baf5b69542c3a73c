/** A line of the feed, and what it is about. Later nodes may have other fields: nothing is taken for granted. */
import type { About } from './about-links.tsx';

export interface Fact {
  readonly seq: number;
  /** Unix milliseconds. */
  readonly at: number;
  readonly epoch: number;
  readonly type: string;
  readonly [field: string]: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** Undefined for what is no line of the feed. */
export function factOf(line: string): Fact | undefined {
  try {
    const fact: unknown = JSON.parse(line);
    return isFact(fact) ? fact : undefined;
  } catch {
    return undefined;
  }
}

function isFact(value: unknown): value is Fact {
  const { seq, at, type } = fieldsOf(value);
  return typeof seq === 'number' && typeof at === 'number' && typeof type === 'string';
}

export function aboutOf(fact: Fact): About {
  const found = insidesOf(fact);
  return {
    orderId: numberOf(found.orderId),
    accountId: numberOf(found.accountId),
    productId: numberOf(found.productId),
    supplierId: numberOf(found.supplierId),
    lotId: numberOf(found.lotId),
    supplierPurchaseId: numberOf(found.supplierPurchaseId),
  };
}

/** In USDT: what moved, or the price of the order. */
export function amountOf(fact: Fact): number | undefined {
  const { amountUsdt, totalPriceUsdt } = insidesOf(fact);
  return numberOf(amountUsdt) ?? numberOf(totalPriceUsdt);
}

/** A few words for the row. */
export function wordsOf(fact: Fact): string {
  const { error, action, result, status, name, reference, role, host } = insidesOf(fact);
  const { added, withdrawn, released, quarantined } = fact;
  const count = (words: string, value: unknown) =>
    typeof value === 'number' ? `${words} ${value}` : undefined;
  const said = [error, action, result, status, name, reference, role, host].find(
    (word) => typeof word === 'string',
  );
  const counts = [
    count('added', added),
    count('withdrawn', withdrawn),
    count('released', released),
    count('set aside', quarantined),
  ];
  const { reason } = fieldsOf(fact.by);
  return [said, ...counts, reason].filter((word) => typeof word === 'string').join(', ');
}

/** The fields of the line and of what is in it, the line's first. */
function insidesOf(fact: Fact): Fields {
  const { order, account, product, supplier, supplierPurchase } = fact;
  return Object.assign({}, ...[supplierPurchase, supplier, product, account, order].map(fieldsOf), fact);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
