/** Whose token a request carries: the owner `root`'s, or that of an operator whose token hasn't expired. */
import { hash, randomBytes } from 'node:crypto';
import type { OperatorToken, Role } from '../../engine/operators.ts';
import { ROOT_NAME, ROOT_OPERATOR } from '../../engine/origin.ts';
import type { State } from '../../engine/state.ts';
import { isSameSecret } from '../auth.ts';

export interface Caller {
  readonly operatorId: number;
  readonly name: string;
  readonly role: Role;
  /** SHA-256 of the token; undefined for `root`, whose token counts until the node stops. */
  readonly sha256?: string;
}

const ROOT: Caller = { operatorId: ROOT_OPERATOR, name: ROOT_NAME, role: 'owner' };
const TOKEN_PREFIX = 'pot_';

/** A new token, which is shown once, and what is stored of it. */
export function generateOperatorToken(expiresAtMs: number | null): { token: string; stored: OperatorToken } {
  const token = TOKEN_PREFIX + randomBytes(24).toString('hex');
  return { token, stored: { sha256: hash('sha256', token), expiresAtMs } };
}

export class OperatorAuth {
  readonly #rootSha256: string;
  readonly #clock: () => number;

  constructor(rootToken: string, clock: () => number) {
    this.#rootSha256 = hash('sha256', rootToken);
    this.#clock = clock;
  }

  /** Operators are few, and so are their calls: all tokens are compared. */
  callerOf(state: State, token: string): Caller | undefined {
    const sha256 = hash('sha256', token);
    if (isSameSecret(sha256, this.#rootSha256)) return ROOT;
    const nowMs = this.#clock();
    for (const { operatorId, profile, tokens } of state.operators.values()) {
      for (const known of tokens) {
        if (counts(known, nowMs) && isSameSecret(sha256, known.sha256)) {
          return { operatorId, ...profile, sha256 };
        }
      }
    }
    return undefined;
  }
}

/** Whether the token that a caller came with still counts: not revoked, not replaced, not expired. */
export function isStillIn(state: State, { operatorId, sha256 }: Caller, nowMs: number): boolean {
  if (sha256 === undefined) return true;
  const { tokens = [] } = state.operators.get(operatorId) ?? {};
  return tokens.some((known) => known.sha256 === sha256 && counts(known, nowMs));
}

function counts({ expiresAtMs }: OperatorToken, nowMs: number): boolean {
  return expiresAtMs === null || nowMs < expiresAtMs;
}

/** As the audit and all listings have it. */
export function operatorName(state: State, operatorId: number): string {
  if (operatorId === ROOT_OPERATOR) return ROOT_NAME;
  return state.operators.get(operatorId)?.profile.name ?? `operator ${operatorId}`;
}
