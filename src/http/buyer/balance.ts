/** GET /balance (SPEC.md §4): what can be spent now; what is on hold is not in it. */
import { usdtFromMicros } from '../../engine/money.ts';
import type { Operation } from '../operation.ts';
import { answerSchema } from '../schemas/envelope.ts';
import { type BuyerRoute, buyerRoute } from './buyer-route.ts';

const ANSWER = answerSchema('Balance', 'The balance of the wallet.', {
  balanceUsdt: { type: 'number', description: 'What can be spent now, without the amounts on hold.' },
});

const GET_BALANCE: Operation = {
  operationId: 'getBalance',
  tag: 'Wallet',
  summary: 'Read the balance',
  answers: [
    {
      status: 200,
      description: 'The balance of the wallet.',
      schema: ANSWER,
    },
  ],
  errors: [],
};

export function balanceRoutes(): BuyerRoute[] {
  return [
    buyerRoute('GET /balance', 'balance:read', GET_BALANCE, (context) => {
      const balanceUsdt = usdtFromMicros(context.account.walletMicros);
      context.succeedWhenDurable(200, { balanceUsdt });
    }),
  ];
}
