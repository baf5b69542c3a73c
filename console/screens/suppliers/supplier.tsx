/** One supplier, among the others: what is set of it, and whether it is asked at present. */
import { call } from '../../api/operator-api.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { counted } from '../../parts/money.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { addressOf } from '../../shell/router.ts';
import { ChangeSupplier } from './supplier-profile.tsx';

export function SupplierPanel({ supplierId }: { readonly supplierId: number }) {
  const { answer: supplier, failure } = useLiveAnswer(
    `supplier ${supplierId}`,
    (signal) => call('GET /suppliers/{id}', { path: { id: supplierId }, signal }),
    'beat',
  );
  return (
    <section class="panel" aria-labelledby="supplier">
      <header>
        <h2 id="supplier">{supplier === undefined ? `Supplier ${supplierId}` : supplier.name}</h2>
        <div class="actions">
          {supplier !== undefined && <ChangeSupplier supplier={supplier} />}
          <a href={addressOf('suppliers')}>All suppliers</a>
        </div>
      </header>
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {supplier !== undefined && (
        <dl class="facts">
          <dt>URL</dt>
          <dd>{supplier.url}</dd>
          <dt>Circuit</dt>
          <dd>
            <StatusBadge status={supplier.circuit} />{' '}
            {supplier.circuit === 'open'
              ? 'It did not answer. Purchases fail without asking it, but for one now and then.'
              : 'It is asked for every purchase that needs it.'}
          </dd>
          <dt>Open purchases</dt>
          <dd>{`${counted(supplier.openPurchases)}, of them unresolved: ${counted(supplier.unresolvedPurchases)}`}</dd>
          <dt>Added</dt>
          <dd>
            <Time at={supplier.createdAt} />
          </dd>
        </dl>
      )}
    </section>
  );
}
