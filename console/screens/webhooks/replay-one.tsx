/** One event again, with all its attempts anew. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { ReasonAction } from '../../parts/dialogs/reason-action.tsx';

interface ReplayOneProps {
  readonly accountId: number;
  readonly delivery: Schema<'WebhookDelivery'>;
}

export function ReplayOne({ accountId, delivery: { eventId, type, status } }: ReplayOneProps) {
  return (
    <ReasonAction
      name="Replay"
      openerLabel={`Replay ${eventId}`}
      needs="POST /webhooks/{accountId}/deliveries/{eventId}/replay"
      look="small"
      isDisabled={status !== 'delivered' && status !== 'discarded'}
      about={`${type}, ${eventId}: sent again with the same id and body, to the webhook of now.`}
      command={(given) => purser('webhook replay', [accountId, eventId], given)}
      run={(body) =>
        call('POST /webhooks/{accountId}/deliveries/{eventId}/replay', { path: { accountId, eventId }, body })
      }
      onDone={() => announce(`${eventId} is sent again.`)}
    />
  );
}
