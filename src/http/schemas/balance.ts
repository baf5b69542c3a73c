/** The answer of GET /balance (SPEC.md §2). */
import { answerSchema } from './envelope.ts';

export const BALANCE_ANSWER = answerSchema('Balance', 'The balance of the wallet.', {
  balanceUsdt: { type: 'number', description: 'What can be spent now, without the amounts on hold.' },
});
