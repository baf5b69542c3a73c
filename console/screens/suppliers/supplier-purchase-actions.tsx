/** The operator's actions on purchases at suppliers: have them asked for now, or end one without its supplier. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { ActionDialog } from '../../parts/dialogs/action-dialog.tsx';
import { ReasonAction } from '../../parts/dialogs/reason-action.tsx';
import { reason } from '../../parts/forms/field.tsx';
import { counted, usdt } from '../../parts/money.tsx';

type Supplier = Schema<'Supplier'>;

export function Reconcile() {
  return (
    <ReasonAction
      name="Reconcile"
      needs="POST /supplier-purchases/reconcile"
      look="small"
      about="Suppliers are asked now about all that is open. The answer comes when they have answered, at the latest after 20 seconds."
      command={(given) => purser('supplier reconcile', [], given)}
      run={async (body, { signal }) => {
        await call('POST /supplier-purchases/reconcile', { body, signal });
        return await allSuppliers(signal);
      }}
      underWay={<p class="hint">Suppliers are being asked…</p>}
      result={(suppliers) => <LeftOpen suppliers={suppliers} />}
    />
  );
}

/** All suppliers, whose counts are of all open purchases: the action's answer lists one page of them. */
async function allSuppliers(signal: AbortSignal): Promise<readonly Supplier[]> {
  const all: Supplier[] = [];
  let cursor: string | undefined;
  do {
    const { suppliers, nextCursor } = await call('GET /suppliers', { query: { cursor }, signal });
    all.push(...suppliers);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return all;
}

function LeftOpen({ suppliers }: { readonly suppliers: readonly Supplier[] }) {
  const open = suppliers.reduce((sum, { openPurchases }) => sum + openPurchases, 0);
  const unresolved = suppliers.reduce((sum, { unresolvedPurchases }) => sum + unresolvedPurchases, 0);
  return (
    <div role="status">
      <p>
        {open === 0
          ? 'Suppliers were asked. Nothing is open any more.'
          : `Suppliers were asked. Still open: ${counted(open)}, of them unresolved: ${counted(unresolved)}.`}
      </p>
      {suppliers
        .filter(({ circuit, openPurchases }) => circuit === 'open' && openPurchases > 0)
        .map(({ supplierId, name, openPurchases }) => (
          <p key={supplierId} class="notice is-waiting">
            Supplier {supplierId}, {name}, has not answered, and its circuit is open. Still open at it:{' '}
            {counted(openPurchases)}. The node asks again by itself, at least every five minutes.
          </p>
        ))}
    </div>
  );
}

interface GiveUpProps {
  readonly purchase: Schema<'SupplierPurchase'>;
  readonly onClose: () => void;
}

/** Beside the list: what somebody types must not go when the purchase ends meanwhile. */
export function GiveUp({ purchase, onClose }: GiveUpProps) {
  const { reference, supplierId, quantity, totalPriceUsdt, orderId } = purchase;
  const order = orderId === undefined ? '' : `, for order ${orderId}`;
  return (
    <ActionDialog
      name="Give up"
      needs="POST /supplier-purchases/{reference}/give-up"
      isGrave
      about={`${reference}: ${counted(quantity)} for ${usdt(totalPriceUsdt)} USDT at supplier ${supplierId}${order}. It is asked no more, though it may have sold.`}
      fields={{ reason: reason() }}
      command={(given) => purser('supplier-purchase give-up', [reference], given)}
      run={(body) => call('POST /supplier-purchases/{reference}/give-up', { path: { reference }, body })}
      onDone={() => announce(`${reference} is given up.`)}
      onClose={onClose}
    />
  );
}
