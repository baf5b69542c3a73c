/** The things that an account has: wallet, API key, names and price list, limits, webhook. */
import type { AnswerOf } from '../../api/call-types.ts';
import { Fact, Facts } from '../../parts/facts.tsx';
import { Money } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { addressOf } from '../../shell/router.ts';
import { NameLink } from '../shell/known-names.tsx';
import { IssueKey, SetKeyActive } from './account-key.tsx';
import { ChangeAccount, ChangeLimits } from './account-limits.tsx';
import { KeyState } from './key-state.tsx';

export type Account = AnswerOf<'GET /accounts/{id}'>;
interface PanelProps {
  readonly account: Account;
}

export function WalletPanel({ account }: PanelProps) {
  const { accountId, balanceUsdt, heldUsdt, createdAt } = account;
  return (
    <Panel title="Wallet">
      <p class="figure">
        <Money amount={balanceUsdt} /> <small>USDT</small>
      </p>
      <Facts>
        <Fact name="On hold" is={<Money amount={heldUsdt} />} />
        <Fact name="Created" is={<Time at={createdAt} />} />
        <Fact
          name="Orders"
          is={<a href={addressOf('orders', undefined, { accountId })}>All of this account</a>}
        />
      </Facts>
    </Panel>
  );
}

export function KeyPanel({ account }: PanelProps) {
  const { keyPrefix, scopes = [] } = account;
  return (
    <Panel
      title="Key"
      beside={<KeyState account={account} />}
      actions={
        <>
          {keyPrefix !== undefined && <SetKeyActive account={account} />}
          <IssueKey account={account} />
        </>
      }
    >
      {keyPrefix === undefined ? (
        <p class="hint">Without a key its programs can do nothing.</p>
      ) : (
        <Facts>
          <Fact name="Begins with" is={<code>{keyPrefix}</code>} />
          <Fact
            name="May"
            is={scopes.map((scope) => (
              <code key={scope} class="scope">
                {scope}
              </code>
            ))}
          />
        </Facts>
      )}
    </Panel>
  );
}

export function SettingsPanel({ account }: PanelProps) {
  const { name, externalId, priceListId, rateLimitPerMinute, webhookConcurrency } = account;
  return (
    <Panel title="Settings" actions={<ChangeAccount account={account} />}>
      <Facts>
        <Fact name="Name" is={name} />
        <Fact name="External id" is={externalId ?? 'none'} />
        <Fact
          name="Price list"
          is={
            priceListId === null ? (
              'none: what the products cost'
            ) : (
              <NameLink kind="price-list" id={priceListId} />
            )
          }
        />
        <Fact name="Requests a minute" is={rateLimitPerMinute ?? 'no limit'} />
        <Fact name="Webhooks at once" is={webhookConcurrency} />
      </Facts>
    </Panel>
  );
}

export function LimitsPanel({ account }: PanelProps) {
  const { spendLimits, allowedNetworks } = account;
  return (
    <Panel title="Limits" actions={<ChangeLimits account={account} />}>
      <Facts>
        <Fact name="Spends at most">
          {spendLimits.length === 0
            ? 'no limit'
            : spendLimits.map(({ windowHours, amountUsdt }) => (
                <div key={windowHours}>
                  <Money amount={amountUsdt} />{' '}
                  {`in any ${windowHours === 1 ? 'hour' : `${windowHours} hours`}`}
                </div>
              ))}
        </Fact>
        <Fact name="Key works from">
          {allowedNetworks === null
            ? 'anywhere'
            : allowedNetworks.map((network) => <div key={network}>{network}</div>)}
        </Fact>
      </Facts>
    </Panel>
  );
}

export function WebhookPanel({ account: { accountId, webhook } }: PanelProps) {
  return (
    <Panel title="Webhook">
      {webhook === null ? (
        <p class="hint">The buyer has registered none.</p>
      ) : (
        <Facts>
          <Fact name="Goes to" is={webhook.host} />
          <Fact name="Tells of" is={webhook.events.join(', ')} />
          <Fact
            name="Balance below"
            is={
              webhook.balanceThresholdUsdt === null ? (
                'never'
              ) : (
                <Money amount={webhook.balanceThresholdUsdt} />
              )
            }
          />
          <Fact name="Deliveries" is={<a href={addressOf('webhooks', accountId)}>Attempts and replays</a>} />
        </Facts>
      )}
    </Panel>
  );
}
