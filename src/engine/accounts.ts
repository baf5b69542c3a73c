/**
 * The table of accounts: profile, API key and wallet of each, all in memory.
 *
 * Invariant: an account has at most one key, and a key says whose it is, so a request is authenticated by one look-up
 * and one comparison of digests. The key itself is nowhere; only its SHA-256 is.
 */
import type { IdTable } from './id-table.ts';
import type { Scope } from './scope.ts';
import type { SpendLimit } from './spending/spend-limit.ts';
import type { Webhook } from './webhook.ts';

export interface ApiKey {
  /** The part that isn't secret and names the key, shown to operators. */
  readonly prefix: string;
  /** SHA-256 of the whole key, 64 lower-case hex digits. */
  readonly sha256: string;
  readonly scopes: readonly Scope[];
  readonly issuedAtMs: number;
  /** While it isn't, the key opens nothing (SPEC.md §5: deactivated). */
  readonly isActive: boolean;
}

/** Settings of an account, made by operators. Settings that few accounts have are absent in the others. */
export interface AccountProfile {
  readonly name: string;
  /** Requests a minute and key; null lifts the limit (SPEC.md §8). */
  readonly rateLimitPerMinute: number | null;
  /** Webhook deliveries of this account under way at once. */
  readonly webhookConcurrency: number;
  /** The operator's own name for the account, which no other has. */
  readonly externalId?: string;
  /** The price list that it buys by. Absent: none. */
  readonly priceListId?: number;
  /** Limits of what it may spend in some hours; never empty. */
  readonly spendLimits?: readonly SpendLimit[];
  /** Networks and addresses from which its key works, never empty. Absent: anywhere. */
  readonly allowedNetworks?: readonly string[];
}

/** Settings as operators send them: null takes one away. */
export type AccountSettings = {
  readonly [Name in keyof AccountProfile]?: AccountProfile[Name] | null | undefined;
};

/** The profile with these settings; what is null or empty is absent. */
export function withSettings(profile: AccountProfile, settings: AccountSettings): AccountProfile {
  const { name, rateLimitPerMinute, webhookConcurrency, ...others } = { ...profile, ...settings };
  const { externalId, priceListId, spendLimits, allowedNetworks } = others;
  return {
    name: name ?? profile.name,
    rateLimitPerMinute: rateLimitPerMinute ?? null,
    webhookConcurrency: webhookConcurrency ?? profile.webhookConcurrency,
    ...(externalId == null ? {} : { externalId }),
    ...(priceListId == null ? {} : { priceListId }),
    ...(spendLimits == null || spendLimits.length === 0 ? {} : { spendLimits }),
    ...(allowedNetworks == null ? {} : { allowedNetworks }),
  };
}

export interface Account {
  readonly accountId: number;
  profile: AccountProfile;
  key: ApiKey | null;
  webhook: Webhook | null;
  /** The amount that can be spent, in micro-USDT; never negative. */
  walletMicros: number;
  /** The amount on hold for purchases in progress, in micro-USDT; never negative. */
  heldMicros: number;
  readonly createdAtMs: number;
  /** The operator who made it, if that is a bot. */
  readonly botId?: number;
}

export type Accounts = IdTable<Account>;
