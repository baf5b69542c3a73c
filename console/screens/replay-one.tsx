/** One event again, with all its attempts anew. */
import type { Schema } from '../api/call-types.ts';
import { call } from '../api/operator-api.ts';
import { Action } from '../parts/action-dialog.tsx';
import { announce } from '../parts/announcer.tsx';
import { flag } from '../parts/command-line.tsx';
import { reason } from '../parts/field.tsx';

interface ReplayOneProps {
  readonly accountId: number;
  readonly delivery: Schema<'WebhookDelivery'>;
}

export function ReplayOne({ accountId, delivery: { eventId, type, status } }: ReplayOneProps) {
  return (
    <Action
      name="Replay"
      openerLabel={`Replay ${eventId}`}
      needs="POST /webhooks/{accountId}/deliveries/{eventId}/replay"
      look="small"
      isDisabled={status !== 'delivered' && status !== 'discarded'}
      about={`${type}, ${eventId}: sent again with the same id and body, to the webhook of now.`}
      fields={{ reason: reason() }}
      command={(values) => ['webhook', 'replay', accountId, eventId, ...flag('--reason', values.reason)]}
      run={(body) =>
        call('POST /webhooks/{accountId}/deliveries/{eventId}/replay', { path: { accountId, eventId }, body })
      }
      onDone={() => announce(`${eventId} is sent again.`)}
    />
  );
}
