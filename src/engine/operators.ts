/**
 * Operators by name, each with one role and a few tokens: the newest, and those before it whose overlap goes on.
 *
 * Invariant: a name is never given twice, in capitals or not, so the audit's names stay true; a token that was promised
 * an overlap opens until it is over, unless the operator is revoked; a token itself is nowhere, only its SHA-256 is.
 * The owner `root` is no row: his token is outside of the journal (`operator-token.ts`).
 */

/**
 * Roles, each with the rights of docs/running.md beside reading. `owner` may do everything, and `bot` only what is about its
 * own accounts.
 */
export const ROLES = ['metrics', 'bot', 'viewer', 'support', 'stock', 'finance', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** The prefix of external ids of a bot that wasn't given another. */
export const DEFAULT_BOT_PREFIX = 'telegram:';

export interface OperatorToken {
  /** SHA-256 of the token, 64 lower-case hex digits. */
  readonly sha256: string;
  /** Unix milliseconds; null for a token that doesn't expire. */
  readonly expiresAtMs: number | null;
  /** Unix milliseconds. Facts of old nodes don't say it. */
  readonly issuedAtMs?: number;
}

export interface OperatorProfile {
  readonly name: string;
  readonly role: Role;
  /** Given to a bot alone: accounts whose external id begins so are its own. Never empty. */
  readonly externalIdPrefix?: string;
}

export interface Operator {
  readonly operatorId: number;
  readonly profile: OperatorProfile;
  /** The youngest first; empty for one that was revoked. */
  tokens: readonly OperatorToken[];
  readonly createdAtMs: number;
  revokedAtMs: number | null;
}

export interface Bot {
  readonly operatorId: number;
  readonly externalIdPrefix?: string | undefined;
}

/** The fields of an account that say whose it is. */
interface Owned {
  /** The bot that made it. */
  readonly botId?: number | undefined;
  readonly externalId?: string | undefined;
}

/** Whether an account is one of the bot's own. */
export function ownsAccount(
  { operatorId, externalIdPrefix = DEFAULT_BOT_PREFIX }: Bot,
  { botId, externalId }: Owned,
): boolean {
  return botId === operatorId || externalId?.startsWith(externalIdPrefix) === true;
}

/** An operator's act that is no change of the state, and its target. */
export interface OperatorAct {
  readonly action:
    | 'WebhookReplayed'
    | 'WebhooksReplayed'
    | 'WebhookTested'
    | 'SuppliersAsked'
    | 'WithdrawnTextsShown'
    /** An upload had nothing that the product hadn't. Recorded for the key of the call. */
    | 'NothingAdded'
    | 'MasterKeyChanged'
    /** To be kept elsewhere. */
    | 'MasterKeyShown'
    | 'BackupBegun'
    | 'DrillBegun'
    | 'LeadHandedOver'
    | 'SessionBegun'
    | 'SessionEnded';
  readonly accountId?: number;
  readonly productId?: number;
  /** Whose session ended; `root`'s is `ROOT_OPERATOR`. */
  readonly targetOperatorId?: number;
  /** The only one that is replayed. */
  readonly eventId?: string;
  /** The beginning of the period whose events are replayed, by when they came up. Unix milliseconds. */
  readonly sinceMs?: number;
}
