/** The operator who makes a request, and whether his token still counts. */
import type { OperatorToken, Role } from '../../engine/operators.ts';
import { ROOT_NAME, ROOT_OPERATOR } from '../../engine/origin.ts';
import type { State } from '../../engine/state.ts';

export interface Caller {
  readonly operatorId: number;
  readonly name: string;
  /** The role that the operator has now. */
  readonly role: Role;
  /** The prefix of a bot, as in its profile. */
  readonly externalIdPrefix?: string;
  /** The operator's own role, while he may do less than that. */
  readonly ownRole?: Role;
  /**
   * SHA-256 of the token, or of that which the session was made from; undefined for `root`'s, which counts until the
   * node stops.
   */
  readonly sha256?: string;
  /** The session that the operator came with; absent when he came with a token. */
  readonly sessionId?: number;
  /** The page asks by itself, and nobody may be there: no use of the session. */
  readonly isUnattended?: true;
}

/** The caller without a token, where that is allowed. Nothing that he may do leaves a fact. */
export const NOBODY: Caller = { operatorId: ROOT_OPERATOR, name: '', role: 'viewer' };
export const ROOT: Caller = { operatorId: ROOT_OPERATOR, name: ROOT_NAME, role: 'owner' };

/**
 * While sales are closed after a restore, nobody but `root` does more than read: whose token ended in the gap isn't known,
 * and `root`'s is in no backup. A bot, which is let in where others aren't, waits.
 */
export function restrained({ gap }: State, caller: Caller): Caller {
  const { operatorId, role } = caller;
  if (gap === null || operatorId === ROOT_OPERATOR || role === 'metrics') return caller;
  return { ...caller, role: role === 'bot' ? role : 'viewer', ownRole: role };
}

/** Undefined when the token that a caller came with counts no more: revoked, replaced, or expired. */
export function standingToken(
  state: State,
  { operatorId, sha256 }: Pick<Caller, 'operatorId' | 'sha256'>,
  nowMs: number,
): Pick<OperatorToken, 'expiresAtMs'> | undefined {
  if (sha256 === undefined) return operatorId === ROOT_OPERATOR ? { expiresAtMs: null } : undefined;
  const { tokens = [] } = state.operators.get(operatorId) ?? {};
  return tokens.find((known) => known.sha256 === sha256 && counts(known, nowMs));
}

export function counts({ expiresAtMs }: OperatorToken, nowMs: number): boolean {
  return expiresAtMs === null || nowMs < expiresAtMs;
}

/** The name of an operator in the audit and in listings. */
export function operatorName(state: State, operatorId: number): string {
  if (operatorId === ROOT_OPERATOR) return ROOT_NAME;
  return state.operators.get(operatorId)?.profile.name ?? `operator ${operatorId}`;
}
