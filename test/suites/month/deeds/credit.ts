/** Money for an account, a correction downwards, or the same credit once more. */
import assert from 'node:assert/strict';
import { type LedgerAccount, usdt } from '../ledger.ts';
import { by, enterDeed, freshKey, type Month, saying } from '../month.ts';

interface CreditBody {
  readonly amountUsdt: number;
  readonly balanceUsdt: number;
  readonly reference: string;
  readonly repeated?: boolean;
}

const OPERATOR = 'carla';

/** In the account's turn; so is the other. */
export async function credit(month: Month, account: LedgerAccount, micros: number): Promise<void> {
  const { shop, ledger } = month;
  const { accountId } = account;
  const who = by(month, OPERATOR);
  const reference = freshKey(month, 'credit');
  const path = `/accounts/${accountId}/credits`;
  const sent = saying(who, { amountUsdt: usdt(micros), reference });
  const { answer: body, isFirst } = await shop.insist(() =>
    shop.tell<CreditBody>(OPERATOR, 'POST', path, sent),
  );
  const isRepeated = body.repeated === true;
  assert.ok(!(isFirst && isRepeated), `${reference} was there before`);
  const { shift } = shop;
  ledger.move(account, { shift, kind: micros < 0 ? 'adjustment' : 'credit', micros, reference, ...who });
  ledger.entries.push({ shift, kind: 'deposit', micros, accountId });
  assert.equal(body.balanceUsdt, usdt(account.balanceMicros), `wallet ${accountId} after ${reference}`);
  account.credits.push({ reference, micros, balanceMicros: account.balanceMicros });
  enterDeed(month, who, 'WalletCredited', {
    accountId,
    requestId: isRepeated ? undefined : body.requestId,
  });
}

/** By another operator, with another reason: it is the same credit still, and no deed. */
export async function repeatCredit({ shop, random }: Month, account: LedgerAccount): Promise<void> {
  const { reference, micros, balanceMicros } = random.pick(account.credits);
  const path = `/accounts/${account.accountId}/credits`;
  const sent = { amountUsdt: usdt(micros), reference, reason: 'once more, to be sure' };
  const { answer: body } = await shop.insist(() => shop.tell<CreditBody>('emil', 'POST', path, sent));
  assert.deepEqual(
    [body.repeated, body.reference, body.amountUsdt, body.balanceUsdt],
    [true, reference, usdt(micros), usdt(balanceMicros)],
  );
}
