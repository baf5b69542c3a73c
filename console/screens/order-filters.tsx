/** What narrows the list of orders down, all of it in the address. */
import { useEffect, useId, useState } from 'preact/hooks';
import { DateField } from '../parts/date-field.tsx';
import { queryField, setQuery } from '../shell/router.ts';
import { type OrderQuery, STATUSES } from './order-finding.ts';
import { OrderSearch } from './order-search.tsx';

const REST_MS = 250;

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
      <IdFilter label="Account" name="accountId" />
      <IdFilter label="Product" name="productId" />
      <DateField label="From" name="from" />
      <DateField label="Before" name="to" />
    </div>
  );
}

/** An id in the address. */
function IdFilter({ label, name }: { readonly label: string; readonly name: string }) {
  const id = useId();
  const inAddress = queryField(name);
  const [typed, setTyped] = useState(inAddress);
  useEffect(() => setTyped(inAddress), [inAddress]);
  useEffect(() => {
    if (typed === inAddress) return undefined;
    const timer = setTimeout(() => setQuery({ [name]: typed }, 'typed'), REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <div class="id-filter">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        inputMode="numeric"
        autocomplete="off"
        placeholder="id"
        value={typed}
        onInput={({ currentTarget }) => {
          const digits = currentTarget.value.replace(/\D/g, '').replace(/^0+/, '').slice(0, 15);
          currentTarget.value = digits;
          setTyped(digits);
        }}
      />
    </div>
  );
}
