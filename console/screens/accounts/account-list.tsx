/** A list of accounts: all of them, those that are searched for, or those that have something. */
import type { GivenTo, Schema } from '../../api/call-types.ts';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import { titled } from '../../parts/list/list-row.tsx';
import { pagesOf } from '../../parts/list/pages-of.ts';
import { Money } from '../../parts/money.tsx';
import { Time } from '../../parts/time.tsx';
import { addressOf } from '../../shell/router.ts';
import { KeyState } from './key-state.tsx';

type Account = Schema<'Account'>;

const COLUMNS: readonly Column<Account>[] = [
  { name: 'Id', narrow: [1, 'first'], width: '4.5rem', cell: ({ accountId }) => accountId },
  { name: 'Name', narrow: [1, 'middle'], width: 'minmax(0, 1fr)', cell: ({ name }) => titled(name) },
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
  {
    name: 'External id',
    narrow: [3, 'all'],
    width: 'minmax(0, 10rem)',
    cell: ({ externalId }) => titled(externalId),
  },
  { name: 'Key', narrow: [2, 'most'], width: '7rem', cell: (account) => <KeyState account={account} /> },
  { name: 'Created', narrow: [4, 'all'], width: '11rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

interface AccountListProps {
  readonly label: string;
  readonly query: NonNullable<GivenTo<'GET /accounts'>['query']>;
  readonly empty: string;
}

export function AccountList({ label, query, empty }: AccountListProps) {
  return (
    <EndlessList
      label={label}
      columns={COLUMNS}
      load={pagesOf('GET /accounts', 'accounts', { query })}
      listKey={JSON.stringify(query)}
      keyOf={({ accountId }) => accountId}
      hrefOf={({ accountId }) => addressOf('accounts', accountId)}
      grows="below"
      empty={empty}
    />
  );
}
