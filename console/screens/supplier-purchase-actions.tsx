/** What an operator does about purchases at suppliers: have them asked now, or end one without its supplier. */
import type { Schema } from '../api/call-types.ts';
import { call } from '../api/operator-api.ts';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { announce } from '../parts/announcer.tsx';
import { flag } from '../parts/command-line.tsx';
import { reason } from '../parts/field.tsx';
import { counted, usdt } from '../parts/money.tsx';
import { ReasonAction } from '../parts/reason-action.tsx';

export function Reconcile() {
  return (
    <ReasonAction
      name="Reconcile"
      needs="POST /supplier-purchases/reconcile"
      look="small"
      about="Suppliers are asked now about all that is open. The answer comes when they have answered, at the latest after 20 seconds."
      command={['supplier', 'reconcile']}
      run={(body, { signal }) => call('POST /supplier-purchases/reconcile', { body, signal })}
      underWay={<p class="hint">Suppliers are being asked…</p>}
      onDone={({ supplierPurchases, nextCursor }) => {
        const more = nextCursor === undefined ? '' : ' or more';
        announce(`Suppliers were asked. Still open: ${counted(supplierPurchases.length)}${more}`);
      }}
    />
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
      about={`${reference}: ${counted(quantity)} for ${usdt(totalPriceUsdt)} USDT at supplier ${supplierId}${order}. It is asked no more, and nothing of it enters own stock, though it may have sold.`}
      fields={{ reason: reason() }}
      command={(values) => ['supplier-purchase', 'give-up', reference, ...flag('--reason', values.reason)]}
      run={(body) => call('POST /supplier-purchases/{reference}/give-up', { path: { reference }, body })}
      onDone={() => announce(`${reference} is given up.`)}
      onClose={onClose}
    />
  );
}
