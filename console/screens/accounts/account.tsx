/**
 * One account: its wallet, key, settings, limits, webhook, chat and prices, its deposits, what moved its money, and what
 * operators did to it.
 */
import { call } from '../../api/operator-api.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { Screen } from '../../shell/screen.tsx';
import { PricesPanel } from '../prices/prices-panel.tsx';
import { ChatPanel } from './account-chat.tsx';
import { AccountDeposits } from './account-deposits.tsx';
import { AccountHistory } from './account-history.tsx';
import { AddCredit } from './account-money.tsx';
import { KeyPanel, LimitsPanel, SettingsPanel, WalletPanel, WebhookPanel } from './account-panels.tsx';
import { PriceQuestion } from './price-question.tsx';
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
          <div class="panels is-wide">
            <WalletPanel account={account} />
            <KeyPanel account={account} />
            <SettingsPanel key={`settings ${id}`} account={account} />
            <LimitsPanel key={`limits ${id}`} account={account} />
            <WebhookPanel account={account} />
            <ChatPanel account={account} />
          </div>
          <PricesPanel key={`prices ${id}`} owner="account" id={id} />
          <PriceQuestion key={`question ${id}`} accountId={id} />
          <AccountDeposits accountId={id} />
          <Statement accountId={id} />
          <AccountHistory accountId={id} />
        </>
      )}
    </Screen>
  );
}
