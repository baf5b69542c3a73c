/** The action that sets items aside that may have been sold in the gap of a restore. */
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { reason, whole } from '../../parts/forms/field.tsx';
import { counted } from '../../parts/money.tsx';

/** The API's bound. */
const MOST = 1_000_000;

export function SetAside() {
  return (
    <Action
      name="Set items aside"
      needs="POST /restore/quarantine"
      about="The next items of each product go off sale: as many as the gap may have sold without a receipt. An item that is set aside costs a delay, one that is sold twice a customer."
      fields={{
        count: whole({ label: 'Count', min: 1, max: MOST, hint: 'Of each product.' }),
        productId: whole({ label: 'Product', min: 1, isOptional: true, hint: 'Its number. Empty: of all.' }),
        reason: reason(),
      }}
      command={({ count, productId, reason: why }) =>
        purser('restore quarantine', [], { count, product: productId, reason: why })
      }
      run={({ count, productId, reason: why }) =>
        call('POST /restore/quarantine', {
          body: { count, ...(productId !== undefined && { productId }), reason: why },
        })
      }
      onDone={({ quarantined }) => announce(`Set aside in all: ${counted(quarantined)}`)}
    />
  );
}
