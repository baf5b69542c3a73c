/** The filters of the list of orders, all of them in the address. */
import { useId } from 'preact/hooks';
import { IdField } from '../../parts/forms/id-field.tsx';
import { PeriodFields } from '../../parts/forms/period-fields.tsx';
import { setQuery } from '../../shell/router.ts';
import { type OrderQuery, STATUSES } from './order-finding.ts';
import { OrderSearch } from './order-search.tsx';

export function OrderFilters({ query }: { readonly query: OrderQuery }) {
  const id = useId();
  return (
    <div class="filters">
      <OrderSearch query={query} />
      <div>
        <label for={id}>Status</label>
        <select
          id={id}
          value={query.status}
          onChange={({ currentTarget }) => setQuery({ status: currentTarget.value })}
        >
          <option value="">any</option>
          {STATUSES.map((status) => (
            <option key={status} value={status}>
              {status}
            </option>
          ))}
        </select>
      </div>
      <IdField label="Account" name="accountId" />
      <IdField label="Product" name="productId" />
      <PeriodFields />
    </div>
  );
}
