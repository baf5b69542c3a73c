/** One supplier, among the others: what is set of it, and whether it is asked at present. */
import { call } from '../../api/operator-api.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { counted } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
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
    <Panel
      title={supplier === undefined ? `Supplier ${supplierId}` : supplier.name}
      actions={
        <>
          {supplier !== undefined && <ChangeSupplier supplier={supplier} />}
          <a href={addressOf('suppliers')}>All suppliers</a>
        </>
      }
    >
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {supplier !== undefined && (
        <Facts>
          <Fact name="URL" is={supplier.url} />
          <Fact name="Circuit">
            <StatusBadge status={supplier.circuit} />{' '}
            {supplier.circuit === 'open'
              ? 'It did not answer. Purchases fail without asking it, but for one now and then.'
              : 'It is asked for every purchase that needs it.'}
          </Fact>
          <Fact
            name="Open purchases"
            is={`${counted(supplier.openPurchases)}, of them unresolved: ${counted(supplier.unresolvedPurchases)}`}
          />
          <Fact name="Added" is={<Time at={supplier.createdAt} />} />
        </Facts>
      )}
    </Panel>
  );
}
