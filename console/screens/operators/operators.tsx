/** The operators of the API, how the bots among them are, the sessions, and the permissions of each role. */
import type { Schema } from '../../api/call-types.ts';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import { pagesOf } from '../../parts/list/pages-of.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { addressOf } from '../../shell/router.ts';
import { Screen } from '../../shell/screen.tsx';
import { BotsPanel } from './bots-panel.tsx';
import { NewOperator } from './operator-creation.tsx';
import { NewToken, Revoke } from './operator-tokens.tsx';
import { RolesPanel } from './roles-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';

type Operator = Schema<'Operator'>;

const COLUMNS: readonly Column<Operator>[] = [
  {
    name: 'Name',
    narrow: [1, 'most'],
    width: 'minmax(4rem, 1fr)',
    cell: ({ name }) => (
      <a href={addressOf('audit', undefined, { operator: name })} title={`What ${name} did`}>
        {name}
      </a>
    ),
  },
  { name: 'Role', narrow: [1, 'last'], width: '4.5rem', cell: ({ role }) => role },
  { name: 'Created', narrow: [2, 'all'], width: '11rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'Token',
    narrow: [3, 'all'],
    width: 'minmax(0, 2fr)',
    cell: (operator) => <TokenState {...operator} />,
  },
  {
    name: 'Actions',
    narrow: [4, 'all'],
    width: '11.5rem',
    align: 'end',
    cell: (operator) =>
      operator.revokedAt === undefined ? (
        <span class="row-actions">
          <NewToken operator={operator} />
          <Revoke operator={operator} />
        </span>
      ) : (
        <StatusBadge status="revoked" tone="bad" />
      ),
  },
];

function TokenState({ expiresAt, previousTokenExpiresAt, revokedAt }: Operator) {
  if (revokedAt !== undefined)
    return (
      <>
        revoked <Time at={revokedAt} />
      </>
    );
  const hasEnded = expiresAt !== undefined && expiresAt <= Date.now();
  return (
    <>
      {expiresAt === undefined ? 'does not end' : hasEnded ? 'ended ' : 'ends '}
      {expiresAt !== undefined && <Time at={expiresAt} />}
      {previousTokenExpiresAt !== undefined && previousTokenExpiresAt > Date.now() && (
        <>
          ; the one before ends <Time at={previousTokenExpiresAt} />
        </>
      )}
    </>
  );
}

export function OperatorsScreen() {
  return (
    <Screen title="Operators" actions={<NewOperator />}>
      <div class="inset">
        <EndlessList
          label="Operators"
          columns={COLUMNS}
          load={pagesOf('GET /operators', 'operators')}
          listKey="all"
          keyOf={({ operatorId }) => operatorId}
          grows="below"
          empty="There is only root, the owner, whose token is the node’s."
        />
      </div>
      <BotsPanel />
      <SessionsPanel />
      <RolesPanel />
    </Screen>
  );
}
