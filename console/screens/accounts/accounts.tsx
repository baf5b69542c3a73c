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
      fields={{
        name: text({ label: 'Name' }),
        externalId: text({
          label: 'External id',
          isOptional: true,
          maxLength: 128,
          hint: 'Your own name for it, such as telegram:123. An account that has it already is shown instead.',
        }),
      }}
      command={({ name, externalId }) => purser('account create', [], { name, 'external-id': externalId })}
      run={(body, { idempotencyKey }) => call('POST /accounts', { body, idempotencyKey })}
      onDone={(answer) => {
        const { accountId, name } = answer;
        announce(`Account ${accountId} is there${'repeated' in answer ? ' already' : ''}: ${name}`);
        goTo(addressOf('accounts', accountId));
      }}
    />
  );
}
