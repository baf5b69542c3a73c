/**
 * The operator's settings of a supplier. On command lines the secret is in a file: everybody on a machine sees them.
 */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { type Field, reason, text } from '../../parts/forms/field.tsx';
import { addressOf, goTo } from '../../shell/router.ts';

const URL_FIELD = {
  label: 'URL',
  maxLength: 2_000,
  hint: 'Of its API: http or https, without user, password, query or fragment.',
};
const SECRET_FILE = 'secret.txt';

export function NewSupplier() {
  return (
    <Action
      name="New supplier"
      needs="POST /suppliers"
      look="primary"
      fields={{
        name: text({ label: 'Name' }),
        url: text(URL_FIELD),
        secret: hidden(text({ label: 'Secret', hint: 'Shared with it: 16 to 512 characters.' })),
        reason: reason(),
      }}
      command={(values) =>
        purser('supplier create', [], {
          name: values.name,
          url: values.url,
          'secret-file': SECRET_FILE,
          reason: values.reason,
        })
      }
      run={(body, { idempotencyKey }) => call('POST /suppliers', { body, idempotencyKey })}
      onDone={({ supplierId, name }) => {
        announce(`Supplier ${supplierId} is there: ${name}`);
        goTo(addressOf('suppliers', undefined, { supplierId }));
      }}
    />
  );
}

export function ChangeSupplier({ supplier }: { readonly supplier: Schema<'Supplier'> }) {
  const { supplierId, name, url } = supplier;
  return (
    <Action
      name="Change supplier"
      needs="PATCH /suppliers/{id}"
      look="small"
      fields={{
        name: text({ label: 'Name', initial: name }),
        url: text({ ...URL_FIELD, initial: url }),
        secret: hidden(text({ label: 'Secret', isOptional: true, hint: 'Empty: it stays as it is.' })),
        reason: reason(),
      }}
      command={(values) =>
        purser('supplier update', [supplierId], {
          name: values.name === name ? undefined : values.name,
          url: values.url === url ? undefined : values.url,
          'secret-file': values.secret === undefined ? undefined : SECRET_FILE,
          reason: values.reason,
        })
      }
      run={(body) => call('PATCH /suppliers/{id}', { path: { id: supplierId }, body })}
      onDone={() => announce('The supplier is changed.')}
    />
  );
}

/** Nobody reads it over a shoulder, and no browser keeps it. */
function hidden<Value>(field: Field<Value>): Field<Value> {
  const attributes = { type: 'password', minlength: 16, autocomplete: 'new-password' };
  return { ...field, maxLength: 512, control: { kind: 'input', attributes } };
}
