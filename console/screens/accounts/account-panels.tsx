/** The four things that an account has: wallet, API key, limits, webhook. */
import type { AnswerOf } from '../../api/call-types.ts';
import { Money } from '../../parts/money.tsx';
import { Time } from '../../parts/time.tsx';
import { addressOf } from '../../shell/router.ts';
import { IssueKey, SetKeyActive } from './account-key.tsx';
import { ChangeAccount } from './account-limits.tsx';
import { KeyState } from './key-state.tsx';

export type Account = AnswerOf<'GET /accounts/{id}'>;
interface PanelProps {
  readonly account: Account;
}

export function WalletPanel({ account }: PanelProps) {
  const { accountId, balanceUsdt, heldUsdt, createdAt } = account;
  return (
    <section class="panel" aria-labelledby="wallet">
      <header>
        <h2 id="wallet">Wallet</h2>
      </header>
      <p class="figure">
        <Money amount={balanceUsdt} /> <small>USDT</small>
      </p>
      <dl class="facts">
        <dt>On hold</dt>
        <dd>
          <Money amount={heldUsdt} />
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
        <dt>Orders</dt>
        <dd>
          <a href={addressOf('orders', undefined, { accountId })}>All of this account</a>
        </dd>
      </dl>
    </section>
  );
}

export function KeyPanel({ account }: PanelProps) {
  const { keyPrefix, scopes = [] } = account;
  return (
    <section class="panel" aria-labelledby="key">
      <header>
        <h2 id="key">Key</h2>
        <KeyState account={account} />
        <div class="actions">
          {keyPrefix !== undefined && <SetKeyActive account={account} />}
          <IssueKey account={account} />
        </div>
      </header>
      {keyPrefix === undefined ? (
        <p class="hint">Without a key its programs can do nothing.</p>
      ) : (
        <dl class="facts">
          <dt>Begins with</dt>
          <dd>
            <code>{keyPrefix}</code>
          </dd>
          <dt>May</dt>
          <dd>
            {scopes.map((scope) => (
              <code key={scope} class="scope">
                {scope}
              </code>
            ))}
          </dd>
        </dl>
      )}
    </section>
  );
}

export function LimitsPanel({ account }: PanelProps) {
  const { rateLimitPerMinute, webhookConcurrency } = account;
  return (
    <section class="panel" aria-labelledby="limits">
      <header>
        <h2 id="limits">Name and limits</h2>
        <div class="actions">
          <ChangeAccount account={account} />
        </div>
      </header>
      <dl class="facts">
        <dt>Name</dt>
        <dd>{account.name}</dd>
        <dt>Requests a minute</dt>
        <dd>{rateLimitPerMinute ?? 'no limit'}</dd>
        <dt>Webhooks at once</dt>
        <dd>{webhookConcurrency}</dd>
      </dl>
    </section>
  );
}

export function WebhookPanel({ account: { accountId, webhook } }: PanelProps) {
  return (
    <section class="panel" aria-labelledby="webhook">
      <header>
        <h2 id="webhook">Webhook</h2>
      </header>
      {webhook === null ? (
        <p class="hint">The buyer has registered none.</p>
      ) : (
        <dl class="facts">
          <dt>Goes to</dt>
          <dd>{webhook.host}</dd>
          <dt>Tells of</dt>
          <dd>{webhook.events.join(', ')}</dd>
          <dt>Balance below</dt>
          <dd>
            {webhook.balanceThresholdUsdt === null ? (
              'never'
            ) : (
              <Money amount={webhook.balanceThresholdUsdt} />
            )}
          </dd>
          <dt>Deliveries</dt>
          <dd>
            <a href={addressOf('webhooks', accountId)}>Attempts and replays</a>
          </dd>
        </dl>
      )}
    </section>
  );
}
