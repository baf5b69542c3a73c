/** Accounts: find one, or begin one. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { text } from '../../parts/forms/field.tsx';
import { SearchField } from '../../parts/forms/search-field.tsx';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import type { LoadPage } from '../../parts/list/paged-rows.ts';
import { Money } from '../../parts/money.tsx';
import { Time } from '../../parts/time.tsx';
import { addressOf, goTo, queryField } from '../../shell/router.ts';
import { Screen } from '../../shell/screen.tsx';
import { KeyState } from './key-state.tsx';

type Account = Schema<'Account'>;

const COLUMNS: readonly Column<Account>[] = [
  { name: 'Id', narrow: [1, 'first'], width: '4.5rem', cell: ({ accountId }) => accountId },
  {
    name: 'Name',
    narrow: [1, 'middle'],
    width: 'minmax(0, 1fr)',
    cell: ({ name }) => <span title={name}>{name}</span>,
  },
  {
    name: 'Balance',
    narrow: [1, 'last'],
    width: '10rem',
    align: 'end',
    cell: ({ balanceUsdt }) => <Money amount={balanceUsdt} />,
  },
  {
    name: 'On hold',
    narrow: [2, 'last'],
    width: '10rem',
    align: 'end',
    cell: ({ heldUsdt }) => (heldUsdt === 0 ? '' : <Money amount={heldUsdt} />),
  },
  { name: 'Key', narrow: [2, 'most'], width: '7rem', cell: (account) => <KeyState account={account} /> },
  { name: 'Created', narrow: [3, 'all'], width: '11rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

export function AccountsScreen() {
  const search = queryField('search');
  const load: LoadPage<Account> = async (cursor, limit, signal) => {
    const query = { search, cursor, limit };
    const { accounts, nextCursor } = await call('GET /accounts', { query, signal });
    return { rows: accounts, nextCursor };
  };
  return (
    <Screen title="Accounts" isList actions={<NewAccount />}>
      <div class="filters">
        <SearchField label="Search accounts" />
      </div>
      <EndlessList
        label="Accounts"
        columns={COLUMNS}
        load={load}
        listKey={search}
        keyOf={({ accountId }) => accountId}
        hrefOf={({ accountId }) => addressOf('accounts', accountId)}
        grows="below"
        empty={search === '' ? 'There are no accounts yet.' : 'No account has this in its name or as its id.'}
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
