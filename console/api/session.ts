/**
 * The way of a tab into a session, and out of it.
 *
 * Invariant: an operator's token and a code are exchanged at once and kept nowhere; a code leaves the address before it
 * is sent, so that neither the history nor a bookmark has it. Anybody can make somebody follow a link with a code of
 * his: so a code takes the place of no session unasked, and whoever is signed in by one is told as whom.
 */
import { signal } from '@preact/signals';
import { dropSession, heldSession, holdSession, sessionNews } from './held-session.ts';
import { call } from './operator-api.ts';

/** A code that came while somebody is signed in. */
export const offeredCode = signal<string | undefined>(undefined);
/** Whether nobody has read yet as whom a code signed him in. */
export const isNewByCode = signal(false);

heldSession.subscribe((session) => {
  if (session === undefined) isNewByCode.value = false;
});

/** Takes the code out of the address and exchanges it, or offers it. Resolves when that is done, or there was none. */
export async function takeCode(): Promise<void> {
  const code = /^#code=(.+)$/.exec(location.hash)?.[1];
  if (code === undefined) return;
  history.replaceState(null, '', `${location.pathname}#/overview`);
  // A session that has ended keeps nobody from the next.
  if (heldSession.peek() !== undefined) await call('GET /session').catch(() => undefined);
  if (heldSession.peek() !== undefined) offeredCode.value = code;
  else await signInByCode(code).catch(tell);
}

/** In the place of whoever is signed in. Throws what the node refused it with. */
export async function signInByCode(code: string): Promise<void> {
  const session = await call('POST /sessions', { body: { code } });
  // What is on view, or was searched for, is another's.
  void leave('');
  holdSession(session);
  isNewByCode.value = true;
}

function tell(error: unknown): void {
  sessionNews.value = error instanceof Error ? error.message : String(error);
}

/** Throws what the node refused it with. */
export async function signIn(token: string): Promise<void> {
  holdSession(await call('POST /sessions', { body: { token } }));
}

export async function signOut(): Promise<void> {
  await leave('You are signed out.');
}

/** The session ends at the node, too. The tab has none at once, whatever the node says: it may be away, or hang. */
async function leave(news: string): Promise<void> {
  const id = heldSession.peek()?.sessionId;
  const ending = id === undefined ? undefined : call('DELETE /sessions/{id}', { path: { id } });
  dropSession(news);
  await ending?.catch(() => undefined);
}
