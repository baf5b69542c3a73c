/**
 * How a tab comes to a session, and leaves it.
 *
 * What always holds: an operator's token and a code are exchanged at once and kept nowhere; a code leaves the address
 * before it is sent, so that neither the history nor a bookmark has it.
 */

import { dropSession, heldSession, holdSession, sessionNews } from './held-session.ts';
import { call } from './operator-api.ts';

/** Takes the code out of the address and exchanges it. Resolves when that is done, or there was none. */
export async function takeCode(): Promise<void> {
  const code = /^#code=(.+)$/.exec(location.hash)?.[1];
  if (code === undefined) return;
  history.replaceState(null, '', `${location.pathname}#/overview`);
  try {
    holdSession(await call('POST /sessions', { body: { code: decodeURIComponent(code) } }));
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    if (heldSession.peek() === undefined)
      sessionNews.value = `${said} Print a new address with: purser console`;
  }
}

/** Throws what the node refused it with. */
export async function signIn(token: string): Promise<void> {
  holdSession(await call('POST /sessions', { body: { token } }));
}

/** The tab is signed out at once, whatever the node says: it may be away, or hang. */
export async function signOut(): Promise<void> {
  const id = heldSession.peek()?.sessionId;
  const ending = id === undefined ? undefined : call('DELETE /sessions/{id}', { path: { id } });
  dropSession('You are signed out.');
  await ending?.catch(() => undefined);
}
