/** The operator's settings of an account: its name, and how much its programs may ask. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { reason, text, whole } from '../../parts/forms/field.tsx';

export function ChangeAccount({ account }: { readonly account: Schema<'Account'> }) {
  const { accountId, name, rateLimitPerMinute, webhookConcurrency } = account;
  return (
    <Action
      name="Change account"
      needs="PATCH /accounts/{id}"
      look="small"
      fields={{
        name: text({ label: 'Name', initial: name }),
        rateLimit: whole({
          label: 'Requests a minute',
          initial: rateLimitPerMinute ?? '',
          isOptional: true,
          min: 1,
          max: 1_000_000,
          hint: 'Empty: no limit. In force at once.',
        }),
        webhookConcurrency: whole({
          label: 'Webhooks at once',
          initial: webhookConcurrency,
          min: 1,
          max: 64,
        }),
        reason: reason(),
      }}
      command={(values) =>
        purser('account update', [accountId], {
          name: values.name === name ? undefined : values.name,
          'rate-limit': values.rateLimit ?? 'none',
          'webhook-concurrency': values.webhookConcurrency,
          reason: values.reason,
        })
      }
      run={({ rateLimit, ...rest }) =>
        call('PATCH /accounts/{id}', {
          path: { id: accountId },
          body: { rateLimitPerMinute: rateLimit ?? null, ...rest },
        })
      }
      onDone={() => announce('The account is changed.')}
    />
  );
}
