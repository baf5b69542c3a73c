/** GET /openapi.json of the buyers, and what their routes add to its operations: the key with its scope, and its limits. */
import type { ErrorCode } from '../../engine/api-errors.ts';
import type { Scope } from '../../engine/scope.ts';
import { BUYER_API } from '../openapi/buyer-description.ts';
import { answerDocument, DOCUMENT_PATH, documentOperation } from '../openapi/document-route.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import type { Access, DescribedRoute, Operation, Query } from '../operation.ts';
import type { OpenRoute } from './buyer-route.ts';

/** A buyers' route as far as its document needs it. */
interface DocumentedRoute {
  readonly method: string;
  readonly path: string;
  /** Absent when no API key is needed. */
  readonly scope?: Scope;
  readonly operation: Operation;
  readonly query?: Query;
}

const OPEN: Access = {
  words: 'Needs no API key, and counts against no limit.',
  security: [],
  errors: ['INTERNAL_ERROR', 'NOT_LEADING'],
  headers: [],
};

/** The errors that a call with a key can be answered with (SPEC.md §4). */
const ERRORS_OF_KEYED: readonly ErrorCode[] = [
  'UNAUTHORIZED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'NOT_LEADING',
];

/** `others` are all other routes of the API. */
export function documentRoute(basePath: string, others: readonly DocumentedRoute[]): OpenRoute {
  const itself = { method: 'GET', path: DOCUMENT_PATH, operation: documentOperation('Service') };
  const routes = () => [...others, itself].map(described);
  return { ...itself, handle: answerDocument(() => openApiDocument(BUYER_API, basePath, routes())) };
}

function described({ method, path, scope, operation, query = {} }: DocumentedRoute): DescribedRoute {
  return { method, path, operation, query, access: scope === undefined ? OPEN : keyed(scope) };
}

function keyed(scope: Scope): Access {
  return {
    words: `Scope: \`${scope}\`.`,
    security: Object.keys(BUYER_API.securitySchemes).map((name) => ({ [name]: [scope] })),
    errors: ERRORS_OF_KEYED,
    headers: ['RateLimit-Policy', 'RateLimit'],
  };
}
