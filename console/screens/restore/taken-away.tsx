/**
 * Rights and prices that facts behind the restored moment took away, as the backup had them: on the screen Node with the way to each thing, and
 * in the form that opens sales, beside the decision that it concerns.
 */
import type { ComponentChildren } from 'preact';
import type { AnswerOf } from '../../api/call-types.ts';
import { counted, usdt } from '../../parts/money.tsx';
import { Time } from '../../parts/time.tsx';
import { addressOf } from '../../shell/router.ts';

export type TakenAway = NonNullable<AnswerOf<'GET /restore'>['takenAway']>;
export type TakenKind = Exclude<keyof TakenAway, 'to' | 'complete'>;
type Row = TakenAway[TakenKind]['rows'][number];
type RowOf<Kind extends TakenKind> = TakenAway[Kind]['rows'][number];

/** Rows of a kind that are shown; more are in the answer, and at the command line. */
const MOST_SHOWN = 50;

/** Lists of all kinds; `taken` is null when the backup had no later facts. */
export function TakenAwayFacts({ taken }: { readonly taken: TakenAway | null }) {
  if (taken === null)
    return (
      <p>This backup has no later facts: what happened after it is unknown. Look through all of them.</p>
    );
  const kinds = KINDS.filter((kind) => taken[kind].count > 0);
  return (
    <>
      <p>
        {kinds.length === 0 ? 'Facts' : 'This was taken away by facts'} behind the restored moment, up to{' '}
        <Time at={taken.to} />
        {kinds.length === 0 && ', took nothing away'}. What happened after them is unknown.
        {!taken.complete && ' Some of them could not be read: they may have taken more away.'}
      </p>
      {kinds.map((kind) => (
        <div key={kind}>
          <h4>{`${TITLES[kind]}: ${counted(taken[kind].count)}`}</h4>
          <TakenRows taken={taken} kinds={[kind]} />
        </div>
      ))}
    </>
  );
}

/** A list of these kinds; nothing when it has no rows. */
export function TakenRows({
  taken,
  kinds,
}: {
  readonly taken: TakenAway | null;
  readonly kinds: readonly TakenKind[];
}) {
  if (taken === null) return null;
  const lists = kinds.map((kind) => [kind, taken[kind].rows.slice(0, MOST_SHOWN)] as const);
  const count = kinds.reduce((sum, kind) => sum + taken[kind].count, 0);
  const shown = lists.reduce((sum, [, rows]) => sum + rows.length, 0);
  if (count === 0) return null;
  return (
    <ul class="taken">
      {lists.flatMap(([kind, rows]) =>
        rows.map((row) => <li key={`${kind} ${idOf(row)}`}>{ROWS[kind](row as never)}</li>),
      )}
      {shown < count && <li>{`and ${counted(count - shown)} more: purser restore status`}</li>}
    </ul>
  );
}

const TITLES = {
  keys: 'API keys',
  operators: 'Operators',
  webhooks: 'Webhooks',
  products: 'Products',
  lots: 'Recalled lots',
  items: 'Withdrawn items',
  suppliers: 'Secrets of suppliers',
  accounts: 'Price lists, limits and networks of accounts',
  priceLists: 'Percents of price lists',
  listPrices: 'Prices of lists',
  accountPrices: 'Own prices of accounts',
} as const satisfies Record<TakenKind, string>;
const KINDS = Object.keys(TITLES) as readonly TakenKind[];

const KEYS = {
  replaced: 'got another key',
  revoked: 'lost its key',
  deactivated: 'key deactivated',
} as const;
const OPERATORS = { revoked: 'revoked', rotated: 'got another token' } as const;
const WEBHOOKS = {
  deleted: 'webhook deleted',
  address: 'webhook at another address, with another secret',
  secret: 'webhook with another secret',
} as const;

const ROWS = {
  keys: (row) => <Changed to={accountOf(row)} row={row} id={row.accountId} what={KEYS[row.change]} />,
  operators: (row) => (
    <Changed to={addressOf('operators')} row={row} id={row.operatorId} what={OPERATORS[row.change]} />
  ),
  webhooks: (row) => <Changed to={accountOf(row)} row={row} id={row.accountId} what={WEBHOOKS[row.change]} />,
  products: (row) => <Changed to={productOf(row)} row={row} id={row.productId} what={productChange(row)} />,
  lots: (row) => (
    <Changed
      to={addressOf('products', row.productId, { lot: row.lotId })}
      row={row}
      id={row.productId}
      what={`lot ${row.lotId} recalled with ${counted(row.withdrawn)} items`}
    />
  ),
  items: (row) => (
    <Changed
      to={productOf(row)}
      row={row}
      id={row.productId}
      what={`${counted(row.count)} items withdrawn, between ${row.firstItem} and ${row.lastItem}`}
    />
  ),
  suppliers: (row) => (
    <Changed
      to={addressOf('suppliers', undefined, { supplierId: row.supplierId })}
      row={row}
      id={row.supplierId}
      what="another secret"
    />
  ),
  accounts: (row) => <Changed to={accountOf(row)} row={row} id={row.accountId} what={termsChange(row)} />,
  priceLists: (row) => (
    <Changed
      to={addressOf('price-lists', row.priceListId)}
      row={row}
      id={row.priceListId}
      what={`${percent(row.percent.from)} → ${percent(row.percent.to)}`}
    />
  ),
  listPrices: (row) => (
    <Changed
      to={addressOf('price-lists', row.priceListId)}
      row={row}
      id={row.productId}
      what={`in price list ${row.priceListId} ${priceChange(row)}`}
    />
  ),
  accountPrices: (row) => (
    <Changed
      to={accountOf(row)}
      row={row}
      id={row.accountId}
      what={`product ${row.productId} ${priceChange(row)}`}
    />
  ),
} as const satisfies { readonly [Kind in TakenKind]: (row: RowOf<Kind>) => ComponentChildren };

interface ChangedProps {
  readonly to: string;
  readonly row: Row;
  readonly id: number;
  readonly what: string;
}

function Changed({ to, row: { name, at }, id, what }: ChangedProps) {
  return (
    <>
      <a href={to}>
        <span class="quiet">{id}</span> {name}
      </a>
      {`: ${what}, `}
      <Time at={at} />
    </>
  );
}

function productChange({ deactivated, ...row }: RowOf<'products'>): string {
  return [...(deactivated ? ['deactivated'] : []), priceChange(row)].filter((one) => one !== '').join(', ');
}

type PriceRow = Pick<RowOf<'listPrices'>, 'priceUsdt' | 'priceTiers'>;

function priceChange({ priceUsdt, priceTiers }: PriceRow): string {
  return [
    ...(priceUsdt === undefined
      ? []
      : [`${price(priceUsdt.from)} → ${price(priceUsdt.to)}${priceUsdt.to === null ? '' : ' USDT'}`]),
    ...(priceTiers === undefined
      ? []
      : [`volume prices ${tiers(priceTiers.from)} → ${tiers(priceTiers.to)}`]),
  ].join(', ');
}

function price(amount: number | null): string {
  return amount === null ? 'none' : usdt(amount);
}

function percent(of: number | null): string {
  return of === null ? 'no percent' : `${of} %`;
}

function termsChange({ priceListId, spendLimits, allowedNetworks }: RowOf<'accounts'>): string {
  const limits = (list: NonNullable<typeof spendLimits>['from']) =>
    list.map(({ windowHours, amountUsdt }) => `${usdt(amountUsdt)} USDT in ${windowHours} h`).join('; ');
  return [
    ...(priceListId === undefined
      ? []
      : [`price list ${priceListId.from ?? 'none'} → ${priceListId.to ?? 'none'}`]),
    ...(spendLimits === undefined
      ? []
      : [`spend limits ${limits(spendLimits.from) || 'none'} → ${limits(spendLimits.to) || 'none'}`]),
    ...(allowedNetworks === undefined
      ? []
      : [`networks ${networks(allowedNetworks.from)} → ${networks(allowedNetworks.to)}`]),
  ].join(', ');
}

function networks(list: readonly string[] | null): string {
  return list === null ? 'all' : list.join('; ');
}

function tiers(list: NonNullable<RowOf<'products'>['priceTiers']>['from']): string {
  if (list.length === 0) return 'none';
  return list
    .map(({ minQuantity, priceUsdt }) => `from ${counted(minQuantity)}: ${usdt(priceUsdt)}`)
    .join('; ');
}

function accountOf({ accountId }: { readonly accountId: number }): string {
  return addressOf('accounts', accountId);
}

function productOf({ productId }: { readonly productId: number }): string {
  return addressOf('products', productId);
}

function idOf(row: Row): number | string {
  if ('lotId' in row) return row.lotId;
  if ('priceListId' in row && 'percent' in row) return row.priceListId as number;
  if ('productId' in row && 'accountId' in row) return `${row.accountId} ${row.productId}`;
  if ('productId' in row && 'priceListId' in row) return `${row.priceListId} ${row.productId}`;
  if ('accountId' in row) return row.accountId;
  if ('operatorId' in row) return row.operatorId;
  return 'supplierId' in row ? row.supplierId : row.productId;
}
