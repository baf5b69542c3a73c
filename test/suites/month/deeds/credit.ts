/** Money for an account, a correction downwards, or the same credit once more. */
import assert from 'node:assert/strict';
import type { LedgerAccount, LedgerCredit } from '../ledger.ts';
import { by, enterDeed, freshKey, type Month } from '../month.ts';

interface CreditBody {
  readonly amountUsdt: number;
  readonly balanceUsdt: number;
  readonly reference: string;
  readonly repeated?: boolean;
}

const OPERATOR = 'carla';

/** In the account's turn; so are the others. */
export async function credit(month: Month, account: LedgerAccount, micros: number): Promise<void> {
  const { shop, ledger } = month;
  const { accountId } = account;
  const who = by(month, OPERATOR);
  const reference = freshKey(month, 'credit');
  const { answer: body, isFirst } = await shop.insist(() =>
    shop.tell<CreditBody>(OPERATOR, 'POST', `/accounts/${accountId}/credits`, {
      amountUsdt: micros / 1e6,
      reference,
      ...(who.reason === undefined ? {} : { reason: who.reason }),
    }),
  );
  assert.ok(isFirst || body.repeated === true || body.repeated === undefined);
  const isRepeated = body.repeated === true;
  assert.ok(!(isFirst && isRepeated), `${reference} was there before`);
  const { shift } = shop;
  ledger.move(account, { shift, kind: micros < 0 ? 'adjustment' : 'credit', micros, reference, ...who });
  ledger.entries.push({ shift, kind: 'deposit', micros, accountId });
  assert.equal(
    body.balanceUsdt,
    account.balanceMicros / 1e6,
    `the wallet of ${accountId} after ${reference}`,
  );
  account.credits.push({ reference, micros, balanceMicros: account.balanceMicros, ...who });
  enterDeed(month, who, 'WalletCredited', {
    accountId,
    requestId: isRepeated ? undefined : body.requestId,
  });
}

/** By another operator, with another reason: it is the same credit still, and no deed. */
export async function repeatCredit(
  { shop, ledger }: Month,
  account: LedgerAccount,
  { reference, micros, balanceMicros }: LedgerCredit,
): Promise<void> {
  const { answer: body } = await shop.insist(() =>
    shop.tell<CreditBody>('emil', 'POST', `/accounts/${account.accountId}/credits`, {
      amountUsdt: micros / 1e6,
      reference,
      reason: 'once more, to be sure',
    }),
  );
  assert.deepEqual(
    [body.repeated, body.reference, body.amountUsdt, body.balanceUsdt],
    [true, reference, micros / 1e6, balanceMicros / 1e6],
  );
  ledger.repeatedCredits += 1;
}
