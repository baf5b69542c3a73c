/**
 * Sessions of operators at the console. A session may do what its operator may, for twelve hours, or until it wasn't
 * used for one.
 *
 * Invariant: a session ends with the token that it was made from, so taking a leaked token out of use ends all that
 * came of it; no session makes another one. The session's own token is nowhere, only its SHA-256 is. Two clocks measure
 * how long a session lasts, and the one that ends it first counts: none is lengthened by a clock that is set back, nor
 * by a machine that sleeps. Sessions are no facts: a restore would bring them to life again, in a feed that others
 * read. They lie in a file of their own, which no backup has. Nobody is ever locked out: an operator with too many
 * loses the one not used for longest. A page that goes on asking by itself says so with each request, and that is no
 * use: otherwise a tab that was left open would never be idle. Whoever leaves that out only lengthens a session that he
 * has in any case.
 *
 * Rejected: sessions that outlive a rotated token. They would save people one sign-in, and leave a thief twelve hours.
 */
import { hash, randomBytes } from 'node:crypto';
import { ROOT_OPERATOR } from '../../../engine/origin.ts';
import type { State } from '../../../engine/state.ts';
import { type Caller, ROOT, standingToken } from '../caller.ts';
import type { KeptSessions, Session } from './session-text.ts';

export const SESSION_MS = 12 * 60 * 60_000;
export const SESSION_IDLE_MS = 60 * 60_000;
const KEEP_USE_EVERY_MS = 60_000;
/** So much a clock may go back between a stop and a start without ending anybody's session. */
const CLOCK_SLACK_MS = 60_000;
const MAX_SESSIONS = 1_024;
const MAX_SESSIONS_OF_OPERATOR = 16;
const TOKEN_PREFIX = 'pos_';

export interface OperatorSessionsOptions {
  /** The sessions at the last stop. */
  readonly kept: Omit<KeptSessions, 'rootMark'>;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number;
  /** Resolves once those of now are on disk. */
  readonly keep: () => Promise<void>;
  /** Called when the times of last use could not be kept. */
  readonly onUnkept: (error: unknown) => void;
}

/** The end and the last use of a session, by the clock that nobody sets. */
interface Life {
  readonly endMs: number;
  usedAtMs: number;
}

export class OperatorSessions {
  readonly #options: OperatorSessionsOptions;
  readonly #lives = new WeakMap<Session, Life>();
  /** Sessions by the SHA-256 of their tokens. */
  readonly #sessions: Map<string, Session>;
  #lastId: number;
  #keptAtMs: number;
  #hasUnkeptUse = false;
  /** The last write: under way, or ended. */
  #keeping: Promise<void> = Promise.resolve();

  constructor(options: OperatorSessionsOptions) {
    const { sessions, lastId } = options.kept;
    this.#options = options;
    const nowMs = options.clock();
    // Of one that was used later than now nobody knows how long ago that is.
    const known = sessions.filter(({ lastUsedAtMs }) => lastUsedAtMs <= nowMs + CLOCK_SLACK_MS);
    this.#sessions = new Map(known.map((session) => [session.sha256, this.#living({ ...session })]));
    this.#lastId = lastId;
    this.#keptAtMs = nowMs;
  }

  get kept(): Omit<KeptSessions, 'rootMark'> {
    return { lastId: this.#lastId, sessions: [...this.#sessions.values()] };
  }

  /** Whether or not it would be let in. */
  get(sessionId: number | undefined): Session | undefined {
    for (const session of this.#sessions.values()) if (session.sessionId === sessionId) return session;
    return undefined;
  }

  /** Counts as a use, unless it is unattended. */
  callerOf(state: State, presented: string, isUnattended = false): Caller | undefined {
    if (!presented.startsWith(TOKEN_PREFIX)) return undefined;
    const session = this.#sessions.get(hash('sha256', presented));
    const caller = session && this.#callerOf(state, session);
    if (session === undefined || caller === undefined) return undefined;
    if (isUnattended) return { ...caller, isUnattended };
    this.#use(session);
    return caller;
  }

  /**
   * Whether a session lasts, asked for a request under way. The request is a use, however long it takes; an unattended
   * one isn't, and ends with its session.
   */
  goesOn({ sessionId, isUnattended }: Pick<Caller, 'sessionId' | 'isUnattended'>): boolean {
    if (sessionId === undefined) return true;
    const session = this.get(sessionId);
    if (session === undefined || this.#isOver(session)) return false;
    if (isUnattended) return !this.#isIdle(session);
    this.#use(session);
    return true;
  }

  /** Signs in who came with a token. Rejects, with nobody signed in, when that can't be kept. */
  async begin(state: State, caller: Caller): Promise<{ readonly session: Session; readonly token: string }> {
    const { operatorId, sha256 } = caller;
    this.#makeRoom(state, operatorId);
    const nowMs = this.#options.clock();
    const token = TOKEN_PREFIX + randomBytes(24).toString('hex');
    const tokenEndMs = standingToken(state, caller, nowMs)?.expiresAtMs;
    this.#lastId += 1;
    const session = this.#living({
      sessionId: this.#lastId,
      sha256: hash('sha256', token),
      operatorId,
      tokenSha256: sha256 ?? null,
      createdAtMs: nowMs,
      expiresAtMs: Math.min(nowMs + SESSION_MS, tokenEndMs ?? Number.POSITIVE_INFINITY),
      lastUsedAtMs: nowMs,
    });
    this.#sessions.set(session.sha256, session);
    try {
      await this.#keep();
    } catch (error) {
      this.#sessions.delete(session.sha256);
      throw error;
    }
    return { session, token };
  }

  /** The sessions that would be let in now, the newest first, each with its caller. */
  list(state: State): readonly (readonly [Session, Caller])[] {
    const found: (readonly [Session, Caller])[] = [];
    for (const session of this.#sessions.values()) {
      const caller = this.#callerOf(state, session);
      if (caller !== undefined) found.unshift([session, caller]);
    }
    return found;
  }

  /**
   * Ends a session, which opens nothing from now on. Rejects when that can't be kept: a restart might let it in again.
   */
  async end(sessionId: number): Promise<void> {
    const session = this.get(sessionId);
    if (session !== undefined) this.#sessions.delete(session.sha256);
    await this.#keep();
  }

  /** Keeps when they were used last. Nothing is written any more when it resolves. */
  async stop(): Promise<void> {
    if (this.#hasUnkeptUse) this.#keep().catch(this.#options.onUnkept);
    await this.#keeping.catch(() => {});
  }

  #callerOf(state: State, session: Session) {
    if (this.#isOver(session) || this.#isIdle(session)) return undefined;
    const { sessionId, operatorId, tokenSha256 } = session;
    const nowMs = this.#options.clock();
    const from = tokenSha256 === null ? { operatorId } : { operatorId, sha256: tokenSha256 };
    if (standingToken(state, from, nowMs) === undefined) return undefined;
    const profile = operatorId === ROOT_OPERATOR ? ROOT : state.operators.get(operatorId)?.profile;
    return profile && { ...profile, ...from, sessionId };
  }

  #living(session: Session): Session {
    const { clock, monotonicMs } = this.#options;
    const leftMs = Math.min(SESSION_MS, session.expiresAtMs - clock());
    const unusedMs = Math.max(0, clock() - session.lastUsedAtMs);
    this.#lives.set(session, { endMs: monotonicMs() + leftMs, usedAtMs: monotonicMs() - unusedMs });
    return session;
  }

  #isOver(session: Session): boolean {
    const { clock, monotonicMs } = this.#options;
    const { endMs = 0 } = this.#lives.get(session) ?? {};
    return clock() >= session.expiresAtMs || monotonicMs() >= endMs;
  }

  #isIdle(session: Session): boolean {
    const { clock, monotonicMs } = this.#options;
    const { usedAtMs = 0 } = this.#lives.get(session) ?? {};
    return Math.max(clock() - session.lastUsedAtMs, monotonicMs() - usedAtMs) >= SESSION_IDLE_MS;
  }

  #use(session: Session): void {
    const nowMs = this.#options.clock();
    session.lastUsedAtMs = nowMs;
    const life = this.#lives.get(session);
    if (life !== undefined) life.usedAtMs = this.#options.monotonicMs();
    this.#hasUnkeptUse = true;
    if (nowMs - this.#keptAtMs >= KEEP_USE_EVERY_MS) this.#keep().catch(this.#options.onUnkept);
  }

  #keep(): Promise<void> {
    this.#keptAtMs = this.#options.clock();
    this.#hasUnkeptUse = false;
    this.#keeping = this.#options.keep();
    return this.#keeping;
  }

  /**
   * Makes room for one more session of this operator: forgets those that have ended, then those not used for longest.
   */
  #makeRoom(state: State, operatorId: number): void {
    for (const session of this.#sessions.values()) {
      if (this.#callerOf(state, session) === undefined) this.#sessions.delete(session.sha256);
    }
    const byUse = [...this.#sessions.values()].sort((a, b) => a.lastUsedAtMs - b.lastUsedAtMs);
    const own = byUse.filter((session) => session.operatorId === operatorId);
    const tooMany = [
      ...own.slice(0, Math.max(0, own.length + 1 - MAX_SESSIONS_OF_OPERATOR)),
      ...byUse.slice(0, Math.max(0, byUse.length + 1 - MAX_SESSIONS)),
    ];
    for (const { sha256 } of tooMany) this.#sessions.delete(sha256);
  }
}
