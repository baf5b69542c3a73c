/** The roles and their purposes. The node decides what each may call; its OpenAPI document says it of each. */
import type { Schema } from '../../api/call-types.ts';

const ROLES: readonly (readonly [role: Schema<'Operator'>['role'], whoFor: string, what: string])[] = [
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
  ['metrics', 'a program that scrapes', 'GET /metrics only, no console'],
];

export const ROLE_OPTIONS = ROLES.map(([role]) => [role, role] as const);

export function RolesPanel() {
  return (
    <section class="panel" aria-labelledby="may">
      <header>
        <h2 id="may">Who may do what</h2>
      </header>
      <table class="plain stacks">
        <thead>
          <tr>
            <th scope="col">Role</th>
            <th scope="col">For</th>
            <th scope="col">May</th>
          </tr>
        </thead>
        <tbody>
          {ROLES.map(([role, whoFor, what]) => (
            <tr key={role}>
              <td>
                <b>{role}</b>
              </td>
              <td data-name="For">{whoFor}</td>
              <td data-name="May">{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
