/** Deposits of the last week, newest first: what each is to be paid by, and what became of it. */
import type { GivenTo, Schema } from '../../api/call-types.ts';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import { titled } from '../../parts/list/list-row.tsx';
import { pagesOf } from '../../parts/list/pages-of.ts';
import { Money } from '../../parts/money.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { NameLink } from '../shell/known-names.tsx';
import { Place } from './place.tsx';

type Deposit = Schema<'Deposit'>;

const HEAD: readonly Column<Deposit>[] = [
  { name: 'Id', narrow: [1, 'first'], width: '3.5rem', cell: ({ depositId }) => depositId },
  { name: 'State', narrow: [1, 'middle'], width: '5.5rem', cell: ({ state }) => <State state={state} /> },
];
const ACCOUNT: Column<Deposit> = {
  name: 'Account',
  narrow: [2, 'most'],
  width: 'minmax(0, 3fr)',
  cell: ({ accountId }) => accountId !== undefined && <NameLink kind="account" id={accountId} />,
};
const AMOUNT: Column<Deposit> = {
  name: 'To pay',
  narrow: [1, 'last'],
  width: '10rem',
  align: 'end',
  cell: ({ payUsdt = 0 }) => <Money amount={payUsdt} />,
};
const OPENED: Omit<Column<Deposit>, 'narrow'> = {
  name: 'Opened',
  width: '5.5rem',
  cell: ({ createdAt }) => createdAt !== undefined && <Ago at={createdAt} />,
};
const REST: readonly Column<Deposit>[] = [
  {
    name: 'Expires',
    narrow: [3, 'all'],
    width: '11rem',
    cell: ({ expiresAt }) => expiresAt !== undefined && <Time at={expiresAt} />,
  },
  { name: 'Goes to', narrow: [4, 'all'], width: 'minmax(0, 3fr)', cell: (deposit) => <Place {...deposit} /> },
  {
    name: 'Paid by',
    narrow: [5, 'all'],
    width: 'minmax(0, 3fr)',
    cell: ({ reference }) => titled(reference),
  },
];
const OF_ALL: readonly Column<Deposit>[] = [
  ...HEAD,
  ACCOUNT,
  AMOUNT,
  { ...OPENED, narrow: [2, 'last'] },
  ...REST,
];
const OF_ONE: readonly Column<Deposit>[] = [...HEAD, AMOUNT, { ...OPENED, narrow: [2, 'all'] }, ...REST];

const TONES = { waiting: 'waiting', credited: 'good' } as const;

function State({ state }: Pick<Deposit, 'state'>) {
  return <StatusBadge status={state} tone={TONES[state as keyof typeof TONES] ?? 'quiet'} />;
}

interface DepositListProps {
  readonly query: NonNullable<GivenTo<'GET /deposits'>['query']>;
  /** All of one account, which is told elsewhere. */
  readonly isOfOne?: boolean;
  readonly empty: string;
}

export function DepositList({ query, isOfOne = false, empty }: DepositListProps) {
  return (
    <EndlessList
      label="Deposits"
      columns={isOfOne ? OF_ONE : OF_ALL}
      load={pagesOf('GET /deposits', 'deposits', { query })}
      listKey={JSON.stringify(query)}
      keyOf={({ depositId = 0 }) => depositId}
      // They expire by themselves.
      isPulsed
      empty={empty}
    />
  );
}
