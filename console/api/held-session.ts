/**
 * The session that this tab has: kept in `sessionStorage`, which no other tab and no other site can read, and which is
 * gone with the tab. The session is no cookie, so no other page can make a browser send it.
 */
import { computed, signal } from '@preact/signals';

export interface HeldSession {
  readonly token: string;
  readonly sessionId?: number | undefined;
  /** The operator's name; the owner of the node is `root`. */
  readonly operator: string;
  readonly role: string;
  /** Unix milliseconds. */
  readonly expiresAt?: number | undefined;
}

const KEY = 'purser.session';

export const heldSession = signal<HeldSession | undefined>(stored());
/** Why there is none any more; empty at first. */
export const sessionNews = signal('');

export const role = computed(() => heldSession.value?.role ?? '');

export function holdSession(session: HeldSession): void {
  sessionStorage.setItem(KEY, JSON.stringify(session));
  sessionNews.value = '';
  heldSession.value = session;
}

/** `news` is told on the screen Sign in. */
export function dropSession(news: string): void {
  sessionStorage.removeItem(KEY);
  sessionNews.value = news;
  heldSession.value = undefined;
}

function stored(): HeldSession | undefined {
  try {
    const session: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    return isSession(session) ? session : undefined;
  } catch {
    return undefined;
  }
}

function isSession(value: unknown): value is HeldSession {
  const { token, role: itsRole } = (value ?? {}) as Partial<HeldSession>;
  return typeof token === 'string' && typeof itsRole === 'string';
}
