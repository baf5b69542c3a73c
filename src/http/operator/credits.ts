/** Wallet credits: POST /accounts/{id}/credits. The reference makes a credit happen once. */
import { MAX_REFERENCE_LENGTH } from '../../engine/limits.ts';
import { usdtFromMicros } from '../../engine/money.ts';
import { badRequest } from '../errors.ts';
import { compileSchema } from '../json-body.ts';
import { parseCredit } from './amounts.ts';
import type { OperatorRoute } from './operator-route.ts';

const NEW_CREDIT = {
  type: 'object',
  required: ['amountUsdt', 'reference'],
  properties: {
    amountUsdt: { type: 'number' },
    reference: { type: 'string', minLength: 1, maxLength: MAX_REFERENCE_LENGTH },
  },
} as const;

export function creditRoutes(): OperatorRoute[] {
  const validate = compileSchema<{ readonly amountUsdt: number; readonly reference: string }>(NEW_CREDIT);
  return [
    {
      method: 'POST',
      path: '/accounts/{id}/credits',
      handle: (context) =>
        context.readJson(validate, ({ amountUsdt, reference }) => {
          const parsed = parseCredit(amountUsdt);
          if ('error' in parsed) return context.fail(parsed.error);
          if (!reference.isWellFormed()) return context.fail(badRequest('reference is not valid Unicode.'));
          const { amountMicros } = parsed;
          context.submit(
            { kind: 'CreditWallet', accountId: context.id, reference, amountMicros },
            ({ credit, replayed }) =>
              context.succeed(replayed ? 200 : 201, {
                accountId: credit.accountId,
                reference: credit.reference,
                amountUsdt: usdtFromMicros(credit.amountMicros),
                balanceUsdt: usdtFromMicros(credit.balanceAfterMicros),
              }),
          );
        }),
    },
  ];
}
