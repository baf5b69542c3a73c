/** The roles and their purposes. The node decides what each may call; its OpenAPI document says it of each. */
import type { Schema } from '../../api/call-types.ts';
import { type SmallColumn, SmallTable } from '../../parts/list/small-table.tsx';
import { Panel } from '../../parts/panel.tsx';

type Role = readonly [role: Schema<'Operator'>['role'], whoFor: string, what: string];

const ROLES: readonly Role[] = [
  [
    'viewer',
    'whoever only looks',
    'reads everything but texts of items, the money report, settings and backups',
  ],
  [
    'support',
    'whoever helps buyers',
    'orders: delivers, refunds, replaces, sees texts; webhooks: tests, replays',
  ],
  [
    'stock',
    'whoever fills the shop',
    'products, stock, files, recalls; sees texts that are withdrawn or searched',
  ],
  ['finance', 'whoever keeps the books', 'credits wallets, reads the money report'],
  ['owner', 'whoever is responsible', 'everything: accounts, keys, suppliers, operators, backups'],
  [
    'bot',
    'a chat bot',
    'the accounts that it made or that have its prefix, their keys and orders; no console',
  ],
  ['metrics', 'a program that scrapes', 'GET /metrics only, no console'],
];

export const ROLE_OPTIONS = ROLES.map(([role]) => [role, role] as const);

const COLUMNS: readonly SmallColumn<Role>[] = [
  { name: 'Role', cell: ([role]) => <b>{role}</b> },
  { name: 'For', cell: ([, whoFor]) => whoFor },
  { name: 'May', cell: ([, , what]) => what },
];

export function RolesPanel() {
  return (
    <Panel title="Who may do what">
      <SmallTable label="Permissions" columns={COLUMNS} rows={ROLES} keyOf={([role]) => role} />
    </Panel>
  );
}
