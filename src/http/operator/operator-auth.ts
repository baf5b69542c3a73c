/**
 * The authentication of operators' requests: by the token of the owner `root`, by an operator's token that hasn't
 * expired, or by a session of either. After too many wrong tokens or sessions, a client must wait.
 */
import { hash, randomBytes } from 'node:crypto';
import type { OperatorToken } from '../../engine/operators.ts';
import type { State } from '../../engine/state.ts';
import { isSameSecret } from '../auth.ts';
import type { ApiError } from '../errors.ts';
import { FailedAuthentications } from '../limits/failed-authentications.ts';
import { type Caller, counts, ROOT, restrained, standingToken } from './caller.ts';
import type { OperatorSessions } from './sessions/operator-sessions.ts';

const TOKEN_PREFIX = 'pot_';

/** A new token, which is shown once, and what is stored of it. */
export function generateOperatorToken(expiresAtMs: number | null): { token: string; stored: OperatorToken } {
  const token = TOKEN_PREFIX + randomBytes(24).toString('hex');
  return { token, stored: { sha256: hash('sha256', token), expiresAtMs } };
}

export interface OperatorAuthOptions {
  readonly rootToken: string;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number;
  readonly sessions: OperatorSessions;
}

export class OperatorAuth {
  readonly #rootSha256: string;
  readonly #options: OperatorAuthOptions;
  readonly #failed = new FailedAuthentications();

  constructor(options: OperatorAuthOptions) {
    this.#rootSha256 = hash('sha256', options.rootToken);
    this.#options = options;
  }

  /** The caller by a token or a session; `isUnattended` as in `Caller`. */
  callerOf(state: State, presented: string, isUnattended: boolean): Caller | undefined {
    const { sessions } = this.#options;
    const caller = sessions.callerOf(state, presented, isUnattended);
    return caller === undefined ? this.tokenCallerOf(state, presented) : restrained(state, caller);
  }

  /** The caller by a token alone. Operators are few, and so are their calls: all tokens are compared. */
  tokenCallerOf(state: State, token: string): Caller | undefined {
    const sha256 = hash('sha256', token);
    if (isSameSecret(sha256, this.#rootSha256)) return ROOT;
    const nowMs = this.#options.clock();
    for (const { operatorId, profile, tokens } of state.operators.values()) {
      for (const known of tokens) {
        if (counts(known, nowMs) && isSameSecret(sha256, known.sha256)) {
          return restrained(state, { operatorId, ...profile, sha256 });
        }
      }
    }
    return undefined;
  }

  /** While a request is under way: whether what its caller came with still counts. */
  isStillIn(state: State, caller: Caller): boolean {
    const { sessions, clock } = this.#options;
    if (!sessions.goesOn(caller)) return false;
    return standingToken(state, caller, clock()) !== undefined;
  }

  /** A token, session or code from this address is nobody's: counts it, or returns the 429 when there were too many. */
  refuse(address: string): ApiError | undefined {
    return this.#failed.refuse(address, this.#options.monotonicMs());
  }
}
