/** The answer of GET /health (SPEC.md §4). */
import { answerSchema } from './envelope.ts';

export const HEALTH_ANSWER = answerSchema('Health', 'The service is up.', {
  service: { type: 'string', description: 'The name of the service.' },
  status: { type: 'string', const: 'ok' },
  version: { type: 'string', description: 'The version of the program, not of the API.' },
});
