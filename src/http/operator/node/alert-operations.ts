/** Description of the route of alerts. */
import { ALERT_CLASSES, ALERT_KINDS, STATE_ERRORS } from '../../../alerts/alert.ts';
import { answerSchema } from '../../schemas/envelope.ts';
import { answer, listOf, type OperatorOperation, said, TIME } from '../operator-operation.ts';

const CLASS = { type: 'string', enum: ALERT_CLASSES } as const;
const MESSAGE = { type: 'string', description: 'For people.' } as const;

const FIRING = {
  title: 'FiringState',
  description: 'A state that goes on. It has the fields of its alert, too, which are in the operator guide.',
  type: 'object',
  required: ['class', 'error', 'message', 'since'],
  properties: {
    class: CLASS,
    error: { type: 'string', enum: STATE_ERRORS },
    message: said(MESSAGE, 'For people, as it was found last.'),
    since: said(TIME, 'When it began, in Unix milliseconds.'),
  },
  additionalProperties: true,
} as const;

const ALERT = {
  title: 'Alert',
  description: 'An alert as `--alert-url` gets it. It has other fields, which are in the operator guide.',
  type: 'object',
  required: ['class', 'error', 'message', 'at'],
  properties: {
    class: CLASS,
    error: { type: 'string', enum: Object.keys(ALERT_KINDS) },
    state: { type: 'string', enum: ['firing', 'resolved'], description: 'Of a state: begun, or over.' },
    message: MESSAGE,
    at: TIME,
  },
  additionalProperties: true,
} as const;

const ALERTS = answerSchema('Alerts', 'What goes on, and what was told lately.', {
  firingCount: { type: 'integer', description: 'How many states go on.' },
  firing: listOf(FIRING, 'States that go on: of the node, then of suppliers and products; at most 1,000.'),
  recent: listOf(ALERT, 'The last 50 of each class, the newest first.'),
});

export const LIST_ALERTS: OperatorOperation = {
  operationId: 'listAlerts',
  tag: 'Node',
  summary: 'Read which alerts fire, and the latest',
  description:
    'Kept in memory: after a start the node finds again what goes on, within ten seconds, and has forgotten what was before. Its log has all.',
  answers: [answer(200, ALERTS)],
  errors: [],
};
