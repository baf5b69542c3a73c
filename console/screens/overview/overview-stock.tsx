/** The products whose own stock lasts least, if they sell as in the last day. */
import type { Schema } from '../../api/call-types.ts';
import { counted } from '../../parts/money.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { addressOf } from '../../shell/router.ts';

type Cover = Schema<'ProductCover'>;

const SOON_HOURS = 24;

export function CoverPanel({ stock }: { readonly stock: readonly Cover[] }) {
  return (
    <section class="panel" aria-labelledby="cover">
      <header>
        <h2 id="cover">Stock that runs out</h2>
        <a class="more" href={addressOf('products')}>
          All products
        </a>
      </header>
      {stock.length === 0 ? (
        <p class="hint">
          Known an hour after the start, for what has sold: how long own stock lasts at the pace of the last
          day.
        </p>
      ) : (
        <table class="plain" aria-labelledby="cover">
          <thead>
            <tr>
              <th scope="col">Product</th>
              <th scope="col" class="at-end">
                Left
              </th>
              <th scope="col" class="at-end">
                Lasts
              </th>
            </tr>
          </thead>
          <tbody>
            {stock.map((row) => (
              <CoverRow key={row.productId} {...row} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function CoverRow({ productId, name, availableStock, hoursOfCover }: Cover) {
  const lasts = coverText(hoursOfCover);
  return (
    <tr>
      <td class="name">
        <a href={addressOf('products', productId)}>{name}</a>
      </td>
      <td class="at-end">{availableStock === 'unlimited' ? availableStock : counted(availableStock)}</td>
      <td class="at-end">
        {hoursOfCover < SOON_HOURS ? <StatusBadge status={lasts} tone="waiting" /> : lasts}
      </td>
    </tr>
  );
}

function coverText(hours: number): string {
  if (hours < 48) return `${hours < 10 ? hours.toFixed(1) : Math.round(hours)} h`;
  return `${counted(Math.round(hours / 24))} d`;
}
