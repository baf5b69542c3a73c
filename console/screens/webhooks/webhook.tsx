/** An account's webhook: where it goes, its events with how their delivery went, and what can be done about them. */
import type { AnswerOf } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { Money } from '../../parts/money.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { addressOf } from '../../shell/router.ts';
import { Screen } from '../../shell/screen.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { ReplayMany } from './replay-many.tsx';
import { SendTest } from './webhook-test.tsx';

type Account = AnswerOf<'GET /accounts/{id}'>;

export function WebhookScreen({ id }: { readonly id: number }) {
  const { answer: account, failure } = useLiveAnswer(`account ${id}`, (signal) =>
    call('GET /accounts/{id}', { path: { id }, signal }),
  );
  const hasWebhook = account !== undefined && account.webhook !== null;
  return (
    <Screen
      title={`Webhooks of account ${id}`}
      isList
      lead={account !== undefined && <a href={addressOf('accounts', id)}>{account.name}</a>}
      actions={
        hasWebhook && (
          <>
            <ReplayMany accountId={id} />
            <SendTest accountId={id} />
          </>
        )
      }
    >
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {account !== undefined && (
        <>
          <Destination account={account} />
          <DeliveryList accountId={id} />
        </>
      )}
    </Screen>
  );
}

function Destination({ account: { webhook } }: { readonly account: Account }) {
  if (webhook === null)
    return (
      <p class="notice">
        The buyer has no webhook now: nothing is sent. What was delivered before is kept for a while.
      </p>
    );
  return (
    <Facts>
      <Fact name="Goes to" is={webhook.host} />
      <Fact name="Tells of" is={webhook.events.join(', ')} />
      {webhook.balanceThresholdUsdt !== null && (
        <Fact name="Balance below">
          <Money amount={webhook.balanceThresholdUsdt} /> USDT
        </Fact>
      )}
    </Facts>
  );
}
