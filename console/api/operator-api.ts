/**
 * The calls of the operators' API, typed by its document. A refusal is thrown as an `ApiFailure`; when nothing answers,
 * a `NodeAway`. A 401 ends the session, wherever it comes from: the tab shows Sign in then, with what happened.
 */
import { type ApiFailure, failureOf, isAborted, NodeAway } from './api-failure.ts';
import { attention } from './attention.ts';
import type { AnswerOf, Call, GivenTo } from './call-types.ts';
import { dropSession, type HeldSession, heldSession } from './held-session.ts';

/** Beside the page, which a proxy may serve under a prefix. */
const BASE_PATH = location.pathname.replace(/\/console\/?$/, '/operator/v1');

interface Common {
  readonly headers?: Readonly<Record<string, string>>;
  /** The key of a call that the node carries out once by it: repeated when its answer is lost. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal | undefined;
}

/** The fields that `call` needs of anything given. */
interface Loose extends Common {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

type Arguments<C extends Call> =
  Record<never, never> extends GivenTo<C> ? [given?: GivenTo<C> & Common] : [given: GivenTo<C> & Common];

/** `call('GET /accounts/{id}', { path: { id: 7 } })`. Fields that are undefined are left out. */
export async function call<C extends Call>(name: C, ...[given]: Arguments<C>): Promise<AnswerOf<C>> {
  const response = await answered(name, (given ?? {}) as Loose);
  return (await response.json()) as AnswerOf<C>;
}

/** The answer as it comes, of a call that answers something else than JSON: a file, or lines that go on. */
export async function answered(name: string, given: Loose): Promise<Response> {
  const { body, headers = {}, idempotencyKey, signal } = given;
  // An exchange is nobody's yet: what it is refused for says nothing of the session that is held.
  const session = name === 'POST /sessions' ? undefined : heldSession.peek();
  const request: RequestInit = {
    method: methodOf(name),
    headers: {
      ...authorizationOf(session),
      ...attention(),
      ...keyHeader(idempotencyKey),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  };
  const response = await fetched(addressOf(name, given), request, idempotencyKey !== undefined);
  if (response.ok) return response;
  throw endedBy(await failureOf(response), session);
}

/** Throws a `NodeAway` when nothing answers, of what may be repeated after a second and a third try. */
async function fetched(address: string, request: RequestInit, mayRepeat: boolean): Promise<Response> {
  for (const pauseMs of mayRepeat ? [1_000, 2_000] : []) {
    try {
      return await fetch(address, request);
    } catch (error) {
      if (isAborted(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return await fetch(address, request).catch((error: unknown) => {
    throw isAborted(error) ? error : new NodeAway();
  });
}

export function keyHeader(key: string | undefined): Readonly<Record<string, string>> {
  return key === undefined ? {} : { 'idempotency-key': key };
}

/** The path and the query of a call, for those who send it themselves. */
export function addressOf(name: string, { path = {}, query = {} }: Loose): string {
  const template = name.slice(name.indexOf(' ') + 1);
  const filled = template.replace(/\{(\w+)\}/g, (_, field) => encodeURIComponent(String(path[field])));
  const fields = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(fields.map(([field, value]) => [field, String(value)])).toString();
  return `${BASE_PATH}${filled}${search === '' ? '' : `?${search}`}`;
}

export function methodOf(name: string): string {
  return name.slice(0, name.indexOf(' '));
}

export function authorizationOf(session: HeldSession | undefined): Readonly<Record<string, string>> {
  return session === undefined ? {} : { authorization: `Bearer ${session.token}` };
}

/** The failure of a call, after it ended the session that the call was made with, if it counts no more. */
export function endedBy(failure: ApiFailure, session: HeldSession | undefined): ApiFailure {
  // Somebody may have signed in anew since.
  const isHeld = session !== undefined && heldSession.peek() === session;
  if (failure.status === 401 && isHeld)
    dropSession('Your session has ended: it was idle for an hour, 12 hours old, or somebody ended it.');
  return failure;
}
