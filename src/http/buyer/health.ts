/** GET /health (SPEC.md §4): no key, no limit, nothing to wait for. */
import { PURSER_VERSION } from '../../version.ts';
import { answerSchema } from '../schemas/envelope.ts';
import type { OpenRoute } from './buyer-route.ts';

const ANSWER = answerSchema('Health', 'The service is up.', {
  service: { type: 'string', description: 'The name of the service.' },
  status: { type: 'string', const: 'ok' },
  version: { type: 'string', description: 'The version of the program, not of the API.' },
});

const UP = { success: true, service: 'purser', status: 'ok', version: PURSER_VERSION };

export const HEALTH_ROUTE: OpenRoute = {
  method: 'GET',
  path: '/health',
  operation: {
    operationId: 'getHealth',
    tag: 'Service',
    summary: 'Check that the service is up',
    answers: [
      {
        status: 200,
        description: 'The service is up.',
        schema: ANSWER,
      },
    ],
    errors: [],
  },
  handle: (context) => context.succeed(200, UP),
};
