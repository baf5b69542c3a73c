/** An order from the bot: opened here, and paid from the wallet later. */
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { reason, text, whole } from '../../parts/forms/field.tsx';
import { addressOf, goTo } from '../../shell/router.ts';

export function NewOrder() {
  return (
    <Action
      name="New order"
      needs="POST /orders"
      look="primary"
      about="Charges and reserves nothing: the order is processing until somebody pays it from the account’s wallet."
      fields={{
        accountId: whole({ label: 'Account', min: 1, hint: 'Its id.' }),
        productId: whole({ label: 'Product', min: 1, hint: 'Its id.' }),
        quantity: whole({ label: 'Quantity', min: 1, initial: 1 }),
        username: text({
          label: 'Recipient',
          isOptional: true,
          hint: 'Where the product asks for one: @, then 5 to 32 letters, digits or underscores.',
        }),
        reason: reason(),
      }}
      command={({ accountId, productId, quantity, username, reason: why }) =>
        purser('order open', [accountId, productId], { quantity, recipient: username, reason: why })
      }
      run={({ username, ...body }, { idempotencyKey }) =>
        call('POST /orders', {
          idempotencyKey,
          body: { ...body, recipient: username === undefined ? undefined : { username } },
        })
      }
      onDone={({ orderId }) => {
        announce(`Order ${orderId} is opened, and is to be paid.`);
        goTo(addressOf('orders', orderId));
      }}
    />
  );
}
