/**
 * Sessions as they lie on disk: JSON, without a token in it. Text that doesn't fit is damage, and nobody is signed in
 * by it.
 */

export interface Session {
  /** 1, 2, 3 …, never given twice as long as the file is there. */
  readonly sessionId: number;
  /** SHA-256 of the session's own token, 64 lower-case hex digits. */
  readonly sha256: string;
  readonly operatorId: number;
  /** SHA-256 of the token that it was made from; null for `root`'s, which `KeptSessions.rootMark` tells apart. */
  readonly tokenSha256: string | null;
  /** Unix milliseconds, as the others. */
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  lastUsedAtMs: number;
}

export interface KeptSessions {
  /** Tells `root`'s token from any other without telling anything of it. */
  readonly rootMark: string;
  /** The last id that was given. */
  readonly lastId: number;
  readonly sessions: readonly Session[];
}

/** The longest text, in characters: more than the most sessions take. */
const MAX_TEXT_LENGTH = 1_000_000;
const SHA256 = /^[0-9a-f]{64}$/;

export function sessionText(kept: KeptSessions): string {
  return `${JSON.stringify(kept)}\n`;
}

/** Undefined when it is damaged. */
export function parseSessions(text: string): KeptSessions | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  try {
    const { rootMark, lastId, sessions } = JSON.parse(text) as Partial<KeptSessions>;
    if (typeof rootMark !== 'string' || !isCount(lastId) || !Array.isArray(sessions)) return undefined;
    return sessions.every((row) => isSession(row, lastId)) ? { rootMark, lastId, sessions } : undefined;
  } catch {
    return undefined;
  }
}

function isSession(row: Partial<Session> | null, lastId: number): row is Session {
  const { sessionId, sha256, operatorId, tokenSha256, createdAtMs, expiresAtMs, lastUsedAtMs } = row ?? {};
  return (
    [sessionId, operatorId, createdAtMs, expiresAtMs, lastUsedAtMs].every(isCount) &&
    Number(sessionId) <= lastId &&
    SHA256.test(String(sha256)) &&
    (tokenSha256 === null || SHA256.test(String(tokenSha256)))
  );
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
