/**
 * Operators with names and roles: POST and GET /operators, DELETE /operators/{id}, POST /operators/{id}/token. A token is
 * shown once; only its SHA-256 is kept.
 */

import { MAX_EXTERNAL_ID_LENGTH, MAX_OPERATOR_NAME_LENGTH } from '../../../engine/limits.ts';
import { DEFAULT_BOT_PREFIX, type Operator, ROLES } from '../../../engine/operators.ts';
import { parseDuration } from '../../../shared/duration.ts';
import type { Fields } from '../../../views/operator-views.ts';
import { type ApiError, apiError, badRequest } from '../../errors.ts';
import { MOMENT, notATime, parseMoment } from '../moment.ts';
import { generateOperatorToken } from '../operator-auth.ts';
import { operatorBody, optionalBody } from '../operator-body.ts';
import {
  bodyRoute,
  deleteRoute,
  type OperatorRoute,
  type OperatorServices,
  onceRoute,
} from '../operator-route.ts';
import { OWNERS } from '../roles.ts';
import { readRoutes } from '../table-routes.ts';
import {
  CREATE_OPERATOR,
  GET_OPERATOR,
  ISSUE_TOKEN,
  LIST_OPERATORS,
  REVOKE_OPERATOR,
} from './operator-operations.ts';

const NEW_OPERATOR = {
  name: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_OPERATOR_NAME_LENGTH,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._@-]*$',
    description: 'Never given twice, in capitals or not.',
  },
  role: { type: 'string', enum: ROLES, description: 'What he may call.' },
  externalIdPrefix: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_EXTERNAL_ID_LENGTH,
    description: `Of role bot: accounts whose \`externalId\` begins so are its own. Default: \`${DEFAULT_BOT_PREFIX}\`.`,
  },
  expiresAt: MOMENT,
} as const;
/** Long enough for every program to have got the new token. */
const MAX_OVERLAP_MS = 30 * 24 * 60 * 60_000;

const OPERATOR_NOT_FOUND = apiError('NOT_FOUND', 'There is no such operator. Check the id.');
const PAST_EXPIRY = badRequest('expiresAt must be in the future.');
const NO_END_TO_KEEP = badRequest(
  'The token has expired, so there is no end that a new one could keep: send expiresAt. To have one that never expires, create another operator.',
);
const NO_BOT = badRequest('externalIdPrefix is for role bot: leave it out.');
const BAD_OVERLAP = badRequest('overlap must be a duration of at most 30 days, like 10m.');

const OVERLAP_QUERY = {
  overlap: {
    type: 'string',
    description: 'How long the token before goes on to work: a duration of up to 30 days. Default: `0`.',
  },
} as const;

export function operatorRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine, clock } = services;
  return [
    onceRoute(
      'POST /operators',
      CREATE_OPERATOR,
      OWNERS,
      operatorBody(NEW_OPERATOR, ['name', 'role']),
      services,
      (context, { name, role, externalIdPrefix, expiresAt }) => {
        if (externalIdPrefix !== undefined && role !== 'bot') return context.fail(NO_BOT);
        const expiresAtMs = expiresAt === undefined ? null : parseMoment(String(expiresAt));
        const error = expiryError(expiresAt, expiresAtMs, clock());
        if (error !== undefined) return context.fail(error);
        const { token, stored } = generateOperatorToken(expiresAtMs);
        const bot = role === 'bot' ? { externalIdPrefix: externalIdPrefix ?? DEFAULT_BOT_PREFIX } : {};
        const profile = { name, role, ...bot };
        context.submitOnce({ kind: 'CreateOperator', profile, token: stored }, (once) =>
          context.succeedOnce(once, operatorFields(once.result), { token }),
        );
      },
    ),
    ...readRoutes('operators', {
      rows: () => engine.state.operators,
      idOf: (operator) => operator.operatorId,
      createdAtOf: (operator) => operator.createdAtMs,
      view: operatorFields,
      notFound: OPERATOR_NOT_FOUND,
      list: LIST_OPERATORS,
      one: GET_OPERATOR,
    }),
    deleteRoute('DELETE /operators/{id}', REVOKE_OPERATOR, OWNERS, (context) =>
      context.submit({ kind: 'RevokeOperator', operatorId: context.id }, (operator) =>
        context.succeed(200, operatorFields(operator)),
      ),
    ),
    // The new token ends when the one before would have, unless another end is given.
    bodyRoute(
      'POST /operators/{id}/token',
      ISSUE_TOKEN,
      OWNERS,
      optionalBody({ expiresAt: MOMENT }),
      (context, { expiresAt }) => {
        const overlapMs = overlapOf(context.query.get('overlap'));
        if (overlapMs === undefined) return context.fail(BAD_OVERLAP);
        const [current] = engine.state.operators.get(context.id)?.tokens ?? [];
        const kept = current?.expiresAtMs ?? null;
        const hasEnded = kept !== null && kept <= clock();
        if (expiresAt === undefined && hasEnded) return context.fail(NO_END_TO_KEEP);
        const expiresAtMs = expiresAt === undefined ? kept : parseMoment(String(expiresAt));
        const error = expiryError(expiresAt, expiresAtMs, clock());
        if (error !== undefined) return context.fail(error);
        const { token, stored } = generateOperatorToken(expiresAtMs);
        const command = {
          kind: 'IssueOperatorToken',
          operatorId: context.id,
          token: stored,
          overlapMs,
        } as const;
        context.submit(command, (operator) => context.succeed(201, { ...operatorFields(operator), token }));
      },
      OVERLAP_QUERY,
    ),
  ];
}

/** The error of a token's end: not a time, or past. Null is no end. */
function expiryError(said: unknown, expiresAtMs: number | null, nowMs: number): ApiError | undefined {
  if (expiresAtMs === null || expiresAtMs > nowMs) return undefined;
  return Number.isNaN(expiresAtMs) ? notATime('expiresAt', String(said)).error : PAST_EXPIRY;
}

/** The overlap in milliseconds; undefined for text that is no duration, or too long a one. */
function overlapOf(text: string | null): number | undefined {
  if (text === null || text === '0') return 0;
  const overlapMs = parseDuration(text);
  return overlapMs !== undefined && overlapMs <= MAX_OVERLAP_MS ? overlapMs : undefined;
}

function operatorFields({
  operatorId,
  profile,
  tokens,
  createdAtMs,
  revokedAtMs,
}: Readonly<Operator>): Fields {
  const [current, ...before] = tokens;
  // Each that has another after it has an end.
  const lastEndMs = Math.max(...before.map(({ expiresAtMs }) => expiresAtMs ?? 0));
  return {
    operatorId,
    ...profile,
    createdAt: createdAtMs,
    ...(current?.expiresAtMs == null ? {} : { expiresAt: current.expiresAtMs }),
    ...(before.length === 0 ? {} : { previousTokenExpiresAt: lastEndMs }),
    ...(revokedAtMs === null ? {} : { revokedAt: revokedAtMs }),
  };
}
