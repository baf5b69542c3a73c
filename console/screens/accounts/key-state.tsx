import type { Schema } from '../../api/call-types.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';

/** Whether an account's key opens anything. */
export function KeyState({
  account,
}: {
  readonly account: Pick<Schema<'Account'>, 'keyPrefix' | 'keyActive'>;
}) {
  if (account.keyPrefix === undefined) return <StatusBadge status="no key" />;
  return account.keyActive ? (
    <StatusBadge status="active" />
  ) : (
    <StatusBadge status="deactivated" tone="bad" />
  );
}
