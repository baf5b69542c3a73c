/** A list of accounts: all of them, those that are searched for, or those that have something. */
import type { GivenTo, Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import type { LoadPage } from '../../parts/list/paged-rows.ts';
import { Money } from '../../parts/money.tsx';
import { Time } from '../../parts/time.tsx';
import { addressOf } from '../../shell/router.ts';
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
  {
    name: 'External id',
    narrow: [3, 'all'],
    width: 'minmax(0, 10rem)',
    cell: ({ externalId }) => <span title={externalId ?? ''}>{externalId}</span>,
  },
  { name: 'Key', narrow: [2, 'most'], width: '7rem', cell: (account) => <KeyState account={account} /> },
  { name: 'Created', narrow: [4, 'all'], width: '11rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

interface AccountListProps {
  readonly label: string;
  readonly query: GivenTo<'GET /accounts'>['query'];
  readonly empty: string;
}

export function AccountList({ label, query, empty }: AccountListProps) {
  const load: LoadPage<Account> = async (cursor, limit, signal) => {
    const { accounts, nextCursor } = await call('GET /accounts', {
      query: { ...query, cursor, limit },
      signal,
    });
    return { rows: accounts, nextCursor };
  };
  return (
    <EndlessList
      label={label}
      columns={COLUMNS}
      load={load}
      listKey={JSON.stringify(query)}
      keyOf={({ accountId }) => accountId}
      hrefOf={({ accountId }) => addressOf('accounts', accountId)}
      grows="below"
      empty={empty}
    />
  );
}
