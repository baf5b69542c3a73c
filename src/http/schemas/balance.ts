/** The answer of GET /balance (SPEC.md §2). */
import { answerSchema } from './envelope.ts';

export const BALANCE_ANSWER = answerSchema('Balance', 'What the wallet holds.', {
  balanceUsdt: { type: 'number', description: 'What can be spent now; what is on hold is not in it.' },
});
