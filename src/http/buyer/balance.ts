/** GET /balance (SPEC.md §4): what can be spent now; what is on hold is not in it. */
import { usdtFromMicros } from '../../engine/money.ts';
import { type BuyerRoute, type BuyerServices, sendWhenDurable } from './buyer-route.ts';

export function balanceRoutes({ engine }: BuyerServices): BuyerRoute[] {
  return [
    {
      method: 'GET',
      path: '/balance',
      scope: 'balance:read',
      handle: (context) => {
        const balanceUsdt = usdtFromMicros(context.account.walletMicros);
        const { requestId } = context;
        sendWhenDurable(engine, context, JSON.stringify({ success: true, balanceUsdt, requestId }));
      },
    },
  ];
}
