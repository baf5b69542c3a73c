/** Accounts: find one, or begin one. */
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { text } from '../../parts/forms/field.tsx';
import { SearchField } from '../../parts/forms/search-field.tsx';
import { addressOf, goTo, queryField } from '../../shell/router.ts';
import { Screen } from '../../shell/screen.tsx';
import { AccountList } from './account-list.tsx';

export function AccountsScreen() {
  const [search, externalId] = [queryField('search'), queryField('externalId')];
  return (
    <Screen title="Accounts" isList actions={<NewAccount />}>
      <div class="filters">
        <SearchField label="Search accounts" />
        <SearchField label="External id" name="externalId" />
      </div>
      <AccountList
        label="Accounts"
        query={{ search, externalId }}
        empty={
          search === '' && externalId === ''
            ? 'There are no accounts yet.'
            : 'No account has this in its name, as its id or as its external id.'
        }
      />
    </Screen>
  );
}

function NewAccount() {
  return (
    <Action
      name="New account"
      needs="POST /accounts"
      look="primary"
      fields={{ name: text({ label: 'Name' }) }}
      command={(given) => purser('account create', [], given)}
      run={(body, { idempotencyKey }) => call('POST /accounts', { body, idempotencyKey })}
      onDone={({ accountId, name }) => {
        announce(`Account ${accountId} is there: ${name}`);
        goTo(addressOf('accounts', accountId));
      }}
    />
  );
}
