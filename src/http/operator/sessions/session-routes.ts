/**
 * Signing in at the console, and out: POST /console-codes, POST, GET and DELETE /sessions, and GET /session, which says
 * whose request it is. Every sign-in and every end of a session is in the audit.
 */
import type { Fields } from '../../../views/operator-views.ts';
import { type ApiError, apiError, badRequest } from '../../errors.ts';
import type { ClientAddresses } from '../../limits/client-address.ts';
import { type Caller, standingToken } from '../caller.ts';
import type { OperatorAuth } from '../operator-auth.ts';
import { noFields, operatorBody } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import {
  bodyRoute,
  deleteRoute,
  type OperatorRoute,
  type OperatorServices,
  operatorRoute,
} from '../operator-route.ts';
import { mayCall, notYours, READERS } from '../roles.ts';
import { CODE_MS, type ConsoleCodes } from './console-codes.ts';
import type { OperatorSessions } from './operator-sessions.ts';
import { BEGIN_SESSION, END_SESSION, GET_SESSION, GIVE_CODE, LIST_SESSIONS } from './session-operations.ts';
import type { Session } from './session-text.ts';

export interface SessionServices extends Pick<OperatorServices, 'engine' | 'clock'> {
  readonly operators: {
    readonly auth: OperatorAuth;
    readonly sessions: OperatorSessions;
    readonly codes: ConsoleCodes;
  };
  readonly clientAddresses: ClientAddresses;
}

/** Anybody may send one. */
const MAX_SIGN_IN_BYTES = 16 * 1024;
const SIGN_IN = operatorBody(
  {
    code: { type: 'string', minLength: 1, maxLength: 128, description: 'From `POST /console-codes`.' },
    token: { type: 'string', minLength: 1, maxLength: 8_192, description: 'An operator’s.' },
  },
  [],
  MAX_SIGN_IN_BYTES,
);

const ONE_OF = badRequest('Send either code or token.');
const WRONG_CODE = apiError(
  'UNAUTHORIZED',
  'The code has been used, is older than a minute, or was never given: get another one with `purser console`.',
);
const WRONG_TOKEN = apiError('UNAUTHORIZED', 'The token is wrong, or counts no more: send one that does.');
const NO_CODE = apiError(
  'FORBIDDEN',
  'A session gets no codes: send an operator’s token, as `purser console` does.',
);
const SESSION_NOT_FOUND = apiError(
  'NOT_FOUND',
  'There is no such session, or it is not yours. Check the id: GET /sessions lists those that are open.',
);

export function sessionRoutes(services: SessionServices): OperatorRoute[] {
  const { clock } = services;
  return [
    bodyRoute('POST /console-codes', GIVE_CODE, READERS, noFields(), (context) => {
      const { caller, reason } = context;
      if (caller.sessionId !== undefined) return context.fail(NO_CODE);
      const code = services.operators.codes.give(caller, reason);
      context.succeed(201, { code, expiresAt: clock() + CODE_MS });
    }),
    operatorRoute('POST /sessions', BEGIN_SESSION, (context) => signIn(context, services), {
      body: SIGN_IN,
      isOpen: true,
    }),
    operatorRoute('GET /sessions', LIST_SESSIONS, (context) => {
      const sessions = seenBy(context.caller, services);
      context.succeedWhenDurable(200, { sessions: sessions.map((row) => sessionFields(row, context)) });
    }),
    operatorRoute('GET /session', GET_SESSION, (context) =>
      context.succeedWhenDurable(200, callerFields(context.caller, services)),
    ),
    deleteRoute('DELETE /sessions/{id}', END_SESSION, READERS, (context) => {
      const row = seenBy(context.caller, services).find(([{ sessionId }]) => sessionId === context.id);
      if (row === undefined) return context.failWhenDurable(SESSION_NOT_FOUND);
      const fields = sessionFields(row, context);
      const [{ sessionId, operatorId }] = row;
      context.run(async () => {
        await services.operators.sessions.end(sessionId);
        await context.record({ action: 'SessionEnded', targetOperatorId: operatorId });
        context.succeed(200, fields);
      });
    }),
  ];
}

function signIn(context: OperatorContext, services: SessionServices): void {
  const { engine, clientAddresses, operators } = services;
  // Its headers are gone when the body has come.
  const address = clientAddresses.of(context.request);
  context.readBody(SIGN_IN, ({ code, token }) => {
    if ((code === undefined) === (token === undefined)) return context.fail(ONE_OF);
    const found = code === undefined ? byToken(services, token ?? '') : byCode(services, code);
    if ('error' in found) return context.fail(operators.auth.refuse(address) ?? found.error);
    const { caller } = found;
    if (!mayCall(caller.role, READERS)) return context.fail(notYours(caller, READERS));
    context.actAs(caller);
    context.reason ??= found.reason;
    context.run(async () => {
      await context.record({ action: 'SessionBegun' });
      const begun = await operators.sessions.begin(engine.state, caller);
      const { lastUsedAt, current, ...fields } = sessionFields([begun.session, caller], context);
      context.succeed(201, { ...fields, token: begun.token });
    });
  });
}

type Found = { readonly caller: Caller; readonly reason?: string | undefined } | { readonly error: ApiError };

function byToken({ engine, operators }: SessionServices, token: string): Found {
  const caller = operators.auth.tokenCallerOf(engine.state, token);
  return caller === undefined ? { error: WRONG_TOKEN } : { caller };
}

/** The token that the code was given for may have ended since. */
function byCode({ engine, operators }: SessionServices, code: string): Found {
  const given = operators.codes.take(code);
  const counts = given !== undefined && operators.auth.isStillIn(engine.state, given.caller);
  return counts ? given : { error: WRONG_CODE };
}

type Row = readonly [Session, Caller];

function seenBy({ operatorId, role }: Caller, { engine, operators }: SessionServices): readonly Row[] {
  const all = operators.sessions.list(engine.state);
  return role === 'owner' ? all : all.filter(([session]) => session.operatorId === operatorId);
}

function sessionFields([session, { name, role, ownRole = role }]: Row, { caller }: OperatorContext): Fields {
  const { sessionId, createdAtMs, lastUsedAtMs, expiresAtMs } = session;
  return {
    sessionId,
    operator: name,
    role: ownRole,
    createdAt: createdAtMs,
    lastUsedAt: lastUsedAtMs,
    expiresAt: expiresAtMs,
    current: sessionId === caller.sessionId,
  };
}

function callerFields(caller: Caller, { engine, operators, clock }: SessionServices): Fields {
  const { operatorId, name, role, ownRole = role, sessionId } = caller;
  const session = operators.sessions.get(sessionId);
  const endMs = session?.expiresAtMs ?? standingToken(engine.state, caller, clock())?.expiresAtMs;
  return {
    operatorId,
    operator: name,
    role: ownRole,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(endMs == null ? {} : { expiresAt: endMs }),
  };
}
