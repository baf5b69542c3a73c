/**
 * Text of what the backup's later facts took away: a sentence that says how far they go, and a table for each kind. The
 * same from a plan, from a restore, and from a running node.
 */
import { isJsonObject, type JsonObject, rowsOf, tableLines, timeText } from './terminal/answer-text.ts';

const KINDS = {
  keys: { title: 'API keys', columns: ['accountId', 'name', 'change', 'at'] },
  operators: { title: 'operators', columns: ['operatorId', 'name', 'change', 'at'] },
  webhooks: { title: 'webhooks', columns: ['accountId', 'name', 'change', 'at'] },
  products: {
    title: 'products',
    columns: ['productId', 'name', 'deactivated', 'priceUsdt', 'priceTiers', 'at'],
  },
  lots: { title: 'recalled lots', columns: ['lotId', 'productId', 'name', 'withdrawn', 'at'] },
  items: {
    title: 'withdrawn items',
    columns: ['productId', 'name', 'count', 'firstItem', 'lastItem', 'at'],
  },
  suppliers: { title: 'secrets of suppliers', columns: ['supplierId', 'name', 'change', 'at'] },
  accounts: {
    title: 'price lists, spend limits and networks of accounts',
    columns: ['accountId', 'name', 'priceListId', 'spendLimits', 'allowedNetworks', 'at'],
  },
  priceLists: { title: 'percents of price lists', columns: ['priceListId', 'name', 'percent', 'at'] },
  listPrices: {
    title: 'prices of lists',
    columns: ['priceListId', 'productId', 'name', 'priceUsdt', 'priceTiers', 'at'],
  },
  accountPrices: {
    title: 'own prices of accounts',
    columns: ['accountId', 'name', 'productId', 'priceUsdt', 'priceTiers', 'at'],
  },
} as const;
type Kind = keyof typeof KINDS;

const NO_LATER_FACTS = 'this backup has no later facts: what happened after it is unknown';

/** Lines for `taken` as answers have it: null when there are no later facts. None when it isn't there. */
export function takenLines(taken: unknown): string[] {
  if (taken === undefined) return [];
  if (!isJsonObject(taken)) return ['', NO_LATER_FACTS];
  const tables = (Object.keys(KINDS) as Kind[]).flatMap((kind) => takenTable(taken, kind));
  const what = tables.length === 0 ? 'took nothing away' : 'took this away again';
  const until = timeText(Number(taken.to));
  return [
    '',
    `facts behind the restored moment, up to ${until}, ${what}; what happened after them is unknown`,
    ...(taken.complete === false ? ['some of them could not be read: they may have taken more away'] : []),
    ...tables,
  ];
}

/** The table of one kind; empty when nothing of it was taken away. A column that no row has is left out. */
export function takenTable(taken: unknown, kind: Kind): string[] {
  const list = isJsonObject(taken) ? taken[kind] : undefined;
  if (!isJsonObject(list) || list.count === 0) return [];
  const { title, columns } = KINDS[kind];
  const rows = rowsOf(list, 'rows').map(forPeople);
  const there = columns.filter((column) => rows.some((row) => row[column] !== undefined));
  const shown = rows.length === list.count ? '' : `, of which these are the first ${rows.length}`;
  return ['', `${title} (${list.count}${shown}):`, ...tableLines(rows, there)];
}

/** A field that is another one says how it was restored, and how it was later. */
function forPeople({ deactivated, ...row }: JsonObject): JsonObject {
  const fields = Object.entries(row).map(([name, value]) =>
    isJsonObject(value) ? [name, `${sideText(value.from)} -> ${sideText(value.to)}`] : [name, value],
  );
  return {
    ...Object.fromEntries(fields),
    ...(deactivated === undefined ? {} : { deactivated: deactivated === true ? 'yes' : 'no' }),
  };
}

/** A tier says from how many on, and a spend limit for how many hours, it is so much. */
function sideText(side: unknown): string {
  if (!Array.isArray(side)) return side === null ? 'none' : String(side);
  const all = side.map((one) => (isJsonObject(one) ? Object.values(one).join(': ') : String(one)));
  return all.length === 0 ? 'none' : all.join(', ');
}
