/** The figures of a product: how much is left, how long it lasts, and whether buyers see it. */
import type { Schema } from '../../api/call-types.ts';
import { counted } from '../../parts/money.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { spanOf } from '../../parts/time.tsx';
import { nodeStatus } from '../../shell/pulse.ts';

type Product = Pick<
  Schema<'Product'>,
  'active' | 'type' | 'file' | 'availableStock' | 'lowStock' | 'hoursOfCover' | 'soldLastDay'
>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** From here on nobody needs to act today. */
const SHORT_HOURS = 24;
const MOST_HOURS = 24 * 365;

/** In the colour of a warning when it is below the product's own mark. */
export function Stock({ product: { availableStock, lowStock } }: { readonly product: Product }) {
  if (availableStock === 'unlimited') return <span class="quiet">unlimited</span>;
  const isLow = availableStock === 0 || (lowStock !== undefined && availableStock < lowStock);
  return <span class={isLow ? 'number is-low' : 'number'}>{counted(availableStock)}</span>;
}

/** Nothing when it isn't known, as of what has not sold for a day. */
export function Cover({ product: { hoursOfCover } }: { readonly product: Product }) {
  if (hoursOfCover === undefined) return <span class="quiet">–</span>;
  const isShort = hoursOfCover < SHORT_HOURS;
  const text = hoursOfCover > MOST_HOURS ? 'over a year' : spanOf(hoursOfCover * HOUR_MS);
  return <span class={isShort ? 'number is-low' : 'number'}>{text}</span>;
}

export function SaleState({ product: { active, type, file } }: { readonly product: Product }) {
  if (!active) return <StatusBadge status="not on sale" />;
  if (type === 'file' && file === undefined) return <StatusBadge status="no file yet" tone="waiting" />;
  return <StatusBadge status="on sale" />;
}

/** In a day; by a node that has not run for one, since its start. */
export function Sold({ product: { soldLastDay } }: { readonly product: Pick<Product, 'soldLastDay'> }) {
  const { startedAt = 0 } = nodeStatus.value ?? {};
  const runsMs = Date.now() - startedAt;
  return (
    <span class="number">
      {counted(soldLastDay)}
      {runsMs < DAY_MS && <small title="Since the node started.">{` in ${spanOf(runsMs)}`}</small>}
    </span>
  );
}
