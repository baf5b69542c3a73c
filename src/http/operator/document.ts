/**
 * GET /openapi.json of the operators, and what their routes add to its operations: who may call, and what they validate
 * by.
 */
import type { ErrorCode } from '../../engine/api-errors.ts';
import { answerDocument, DOCUMENT_PATH, documentOperation } from '../openapi/document-route.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import { OPERATOR_API } from '../openapi/operator-description.ts';
import type { Access, DescribedRoute, JsonRequest } from '../operation.ts';
import { type OperatorRoute, operatorRoute } from './operator-route.ts';

/** Errors of every call with a token: a query may be wrong, and so may tokens, too often. */
const ERRORS_OF_CALLS: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'NOT_LEADING',
];

const OPEN: Access = {
  words: 'Needs no token.',
  security: [],
  errors: ['FORBIDDEN', 'INTERNAL_ERROR'],
  headers: [],
};

export function documentRoute(basePath: string, others: readonly OperatorRoute[]): OperatorRoute {
  const document = () => openApiDocument(OPERATOR_API, basePath, [...others, itself].map(describedRoute));
  const itself: OperatorRoute = operatorRoute(
    `GET ${DOCUMENT_PATH}`,
    documentOperation('Node'),
    answerDocument(document),
    { isOpen: true },
  );
  return itself;
}

function describedRoute(route: OperatorRoute): DescribedRoute {
  const { method, path, roles, query, operation, body, isOpen } = route;
  const { schema, maxBytes = 0, isOptional = false } = body ?? {};
  const request: JsonRequest | undefined = schema && { schema, maxBytes, isOptional };
  return {
    method,
    path,
    operation: request === undefined ? operation : { ...operation, body: request },
    access: isOpen ? OPEN : withToken(roles),
    query,
  };
}

function withToken(roles: OperatorRoute['roles']): Access {
  const may = [...roles, 'owner'];
  return {
    words: `Roles: ${may.map((role) => `\`${role}\``).join(', ')}.`,
    security: [{ operatorToken: [] }],
    extensions: { 'x-roles': may },
    errors: ERRORS_OF_CALLS,
    headers: [],
  };
}
