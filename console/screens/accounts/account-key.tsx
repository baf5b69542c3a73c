/** An account's API key: a new one, which is shown once, and a switch for the one that it has. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { ReasonAction } from '../../parts/dialogs/reason-action.tsx';
import { ShownOnce } from '../../parts/dialogs/shown-once.tsx';
import { check, reason } from '../../parts/forms/field.tsx';

type Account = Pick<Schema<'Account'>, 'accountId' | 'keyPrefix' | 'keyActive'>;
type Scope = Schema<'NewKey'>['scopes'][number];

const SCOPE_FIELDS = {
  'catalog:read': check({ label: 'catalog:read', isOn: true }),
  'balance:read': check({ label: 'balance:read', isOn: true }),
  'orders:write': check({ label: 'orders:write', isOn: true, hint: 'Buys.' }),
  'orders:read': check({ label: 'orders:read', isOn: true }),
  'webhooks:read': check({ label: 'webhooks:read', isOn: true }),
  'webhooks:write': check({ label: 'webhooks:write', isOn: true }),
} satisfies Record<Scope, unknown>;

const ALL = Object.keys(SCOPE_FIELDS) as Scope[];

function chosen(values: Readonly<Record<Scope, boolean>>): readonly Scope[] {
  return ALL.filter((scope) => values[scope]);
}

export function IssueKey({ account: { accountId, keyPrefix } }: { readonly account: Account }) {
  return (
    <Action
      name="Issue key"
      needs="POST /accounts/{id}/key"
      look="small"
      about={
        keyPrefix === undefined
          ? 'What the key may do:'
          : `The key that begins with ${keyPrefix} dies at once. What the new one may do:`
      }
      fields={{ ...SCOPE_FIELDS, reason: reason() }}
      command={({ reason: why, ...scopes }) =>
        purser('key issue', [accountId], {
          scopes: chosen(scopes).length === ALL.length ? undefined : chosen(scopes).join(','),
          reason: why,
        })
      }
      run={({ reason: why, ...scopes }, { idempotencyKey }) =>
        call('POST /accounts/{id}/key', {
          idempotencyKey,
          path: { id: accountId },
          body: { scopes: chosen(scopes), reason: why },
        })
      }
      isShownOnce
      result={(answer) => (
        <ShownOnce label="API key" secret={'apiKey' in answer ? answer.apiKey : undefined} />
      )}
    />
  );
}

export function SetKeyActive({ account: { accountId, keyActive = false } }: { readonly account: Account }) {
  const verb = keyActive ? 'Deactivate' : 'Activate';
  return (
    <ReasonAction
      // Another action, so that nothing of the dialog before stays.
      key={verb}
      name={`${verb} key`}
      needs="PATCH /accounts/{id}/key"
      look="small"
      isGrave={keyActive}
      about={keyActive ? 'The buyer gets 401 until it is activated again.' : undefined}
      command={(given) => purser(keyActive ? 'key deactivate' : 'key activate', [accountId], given)}
      run={(values) =>
        call('PATCH /accounts/{id}/key', { path: { id: accountId }, body: { active: !keyActive, ...values } })
      }
      onDone={() => announce(keyActive ? 'The key opens nothing now.' : 'The key works again.')}
    />
  );
}
