/** The actions of a person on an order's delivery: completes it, fails it, or gives new items for bad ones. */
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { ReasonAction } from '../../parts/dialogs/reason-action.tsx';
import { givenReason, lines, reason } from '../../parts/forms/field.tsx';
import { itemPlaces } from '../stock/item-places.ts';

interface StepProps {
  readonly orderId: number;
  readonly onDone?: () => void;
}

/** The number of texts need not be what was bought, so another one is asked about. */
export function CompleteDelivery({ orderId, quantity, onDone }: StepProps & { readonly quantity: number }) {
  return (
    <Action
      name="Complete delivery"
      needs="POST /orders/{id}/complete"
      look="primary"
      about={`Delivers order ${orderId}. The buyer bought ${quantity}, and sees what you enter, as it is.`}
      fields={{
        items: lines({
          label: 'Items',
          isOptional: true,
          hint: 'One a line. None: completed without a text. Ctrl+Enter sends.',
        }),
        reason: reason(),
      }}
      // The texts stay out of shells' histories.
      command={({ items, reason: why }) =>
        purser('order complete', [orderId, items.length === 0 ? undefined : 'items.txt'], { reason: why })
      }
      preview={({ items: { length } }) =>
        length > 0 && <p class="hint">{`${length} of ${quantity} items.`}</p>
      }
      question={({ items: { length } }) =>
        length === 0 || length === quantity
          ? undefined
          : `Nothing is delivered yet: these are ${length} of ${quantity} items. An item is one line, and an order is delivered only once.`
      }
      run={({ items, reason: why }) =>
        call('POST /orders/{id}/complete', {
          path: { id: orderId },
          body: { items: items.length === 0 ? undefined : items, reason: why },
        })
      }
      onDone={() => {
        announce(`Order ${orderId} is delivered.`);
        onDone?.();
      }}
    />
  );
}

export function Fail({ orderId, isPaid, onDone }: StepProps & { readonly isPaid: boolean }) {
  return (
    <ReasonAction
      name="Fail"
      needs="POST /orders/{id}/fail"
      isGrave
      about={
        isPaid
          ? `Order ${orderId} ends, and what its buyer paid returns to the wallet.`
          : `Order ${orderId} ends. Nothing was paid for it.`
      }
      command={(given) => purser('order fail', [orderId], given)}
      run={(body) => call('POST /orders/{id}/fail', { path: { id: orderId }, body })}
      onDone={() => {
        announce(isPaid ? `Order ${orderId} has failed: its money is back.` : `Order ${orderId} has failed.`);
        onDone?.();
      }}
    />
  );
}

export function ReplaceItems({
  orderId,
  onDone,
  ticked,
}: StepProps & { readonly ticked: readonly number[] }) {
  return (
    <Action
      name="Replace items"
      needs="POST /orders/{id}/replace"
      about={`Order ${orderId} gets new items of own stock in their places. No money moves.`}
      fields={{
        items: itemPlaces({ label: 'Items', ticked, hint: 'Numbers of the bad ones; the first is 0.' }),
        reason: givenReason(),
      }}
      command={({ items, reason: why }) =>
        purser('order replace', [orderId], { items: items.join(','), reason: why })
      }
      run={(body, { idempotencyKey }) =>
        call('POST /orders/{id}/replace', {
          path: { id: orderId },
          idempotencyKey,
          body,
        })
      }
      onDone={() => {
        announce(`Order ${orderId} has new items.`);
        onDone?.();
      }}
    />
  );
}
