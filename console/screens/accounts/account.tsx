/** One account: its wallet, key, limits and webhook, what moved its money, and what operators did to it. */
import { call } from '../../api/operator-api.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { Screen } from '../../shell/screen.tsx';
import { AccountHistory } from './account-history.tsx';
import { AddCredit } from './account-money.tsx';
import { KeyPanel, LimitsPanel, WalletPanel, WebhookPanel } from './account-panels.tsx';
import { Statement } from './statement.tsx';

export function AccountScreen({ id }: { readonly id: number }) {
  const { answer: account, failure } = useLiveAnswer(`account ${id}`, (signal) =>
    call('GET /accounts/{id}', { path: { id }, signal }),
  );
  return (
    <Screen title={`Account ${id}`} lead={account?.name} actions={account && <AddCredit account={account} />}>
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {account === undefined && failure === undefined && <p class="loading">Loading…</p>}
      {account !== undefined && (
        <>
          <div class="panels">
            <WalletPanel account={account} />
            <KeyPanel account={account} />
            <LimitsPanel account={account} />
            <WebhookPanel account={account} />
          </div>
          <Statement accountId={id} />
          <AccountHistory accountId={id} />
        </>
      )}
    </Screen>
  );
}
