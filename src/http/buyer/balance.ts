/** GET /balance (SPEC.md §4): what can be spent now; what is on hold is not in it. */
import { usdtFromMicros } from '../../engine/money.ts';
import { INTERNAL_ERROR } from '../errors.ts';
import { sendError, sendJson } from '../reply.ts';
import type { BuyerRoute, BuyerServices } from './buyer-route.ts';

export function balanceRoutes({ engine }: BuyerServices): BuyerRoute[] {
  return [
    {
      method: 'GET',
      path: '/balance',
      scope: 'balance:read',
      handle: ({ exchange, requestId, account }) => {
        const balanceUsdt = usdtFromMicros(account.walletMicros);
        engine.whenDurable((durable) => {
          if (durable) {
            sendJson(exchange, requestId, 200, JSON.stringify({ success: true, balanceUsdt, requestId }));
          } else {
            sendError(exchange, requestId, INTERNAL_ERROR);
          }
        });
      },
    },
  ];
}
