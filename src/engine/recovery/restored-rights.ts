/**
 * Rights that a restore brought back and that the gap may have taken away: keys, operators, webhooks, and products on
 * sale at an old price. Nobody knows, so an operator decides before sales open.
 *
 * Rights that came since the restore are not among them: nobody can have taken them away before. A right of doubtful
 * age, because a clock was set back, counts as restored.
 */
import type { Account } from '../accounts.ts';
import type { State } from '../state.ts';

export const RESTORED_KINDS = ['keys', 'operators', 'webhooks', 'products'] as const;
export type RestoredKind = (typeof RESTORED_KINDS)[number];

/** Whose it is, as it was restored: accounts by their keys and webhooks, operators, products. None while sales are open. */
export function restoredIds({ accounts, operators, products, gap }: State, kind: RestoredKind): number[] {
  if (gap === null) return [];
  const isOld = (sinceMs = 0) => sinceMs <= gap.toMs;
  switch (kind) {
    case 'keys':
      return accounts
        .filter(({ key }) => key?.isActive === true && isOld(key.issuedAtMs))
        .map(({ accountId }) => accountId);
    case 'webhooks':
      return accounts
        .filter(({ webhook }) => webhook !== null && isOld(webhook.setAtMs))
        .map(({ accountId }) => accountId);
    case 'operators':
      return operators
        .filter(({ tokens }) => tokens.some(({ issuedAtMs }) => isOld(issuedAtMs)))
        .map(({ operatorId }) => operatorId);
    case 'products':
      return products
        .filter(({ profile, createdAtMs }) => profile.active && isOld(createdAtMs))
        .map(({ productId }) => productId);
  }
}

/** Whether the gap may have ended the account's key: then it only reads until sales are open. */
export function mayHaveEnded({ gap }: State, { key }: Pick<Account, 'key'>): boolean {
  return gap !== null && key !== null && key.issuedAtMs <= gap.toMs;
}
