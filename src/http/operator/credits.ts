/** Wallet credits: POST /accounts/{id}/credits. The reference makes a credit happen once. */
import { MAX_REFERENCE_LENGTH } from '../../engine/limits.ts';
import { creditView } from '../../views/operator-views.ts';
import { parseCredit } from './amounts.ts';
import { operatorBody } from './operator-body.ts';
import { bodyRoute, type OperatorRoute } from './operator-route.ts';

const CREDIT_PROPERTIES = {
  amountUsdt: { type: 'number' },
  reference: { type: 'string', minLength: 1, maxLength: MAX_REFERENCE_LENGTH },
} as const;

export function creditRoutes(): OperatorRoute[] {
  const newCredit = operatorBody(CREDIT_PROPERTIES, ['amountUsdt', 'reference']);
  return [
    bodyRoute('POST /accounts/{id}/credits', newCredit, (context, { amountUsdt, reference }) => {
      const parsed = parseCredit(amountUsdt);
      if ('error' in parsed) return context.fail(parsed.error);
      const { amountMicros } = parsed;
      context.submit(
        { kind: 'CreditWallet', accountId: context.id, reference, amountMicros },
        ({ credit, replayed }) => context.succeed(replayed ? 200 : 201, creditView(credit)),
      );
    }),
  ];
}
