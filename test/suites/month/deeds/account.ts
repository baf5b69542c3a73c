/** An account is frozen and freed again: 401 meanwhile, and nothing of it is lost (SPEC.md §5). */
import assert from 'node:assert/strict';
import { inTurn, type LedgerAccount } from '../ledger.ts';
import { by, enterDeed, type Month } from '../month.ts';

const OPERATOR = 'emil';

export function freezeAndFree(month: Month, account: LedgerAccount): Promise<void> {
  return inTurn(account, async () => {
    await setKey(month, account, false);
    assert.equal((await month.shop.buyers.balance(account.apiKey)).status, 401, 'the key is deactivated');
    await setKey(month, account, true);
    const { status, body, text } = await month.shop.buyers.balance(account.apiKey);
    assert.deepEqual([status, body.balanceUsdt], [200, account.balanceMicros / 1e6], text);
  });
}

async function setKey(month: Month, { accountId }: LedgerAccount, active: boolean): Promise<void> {
  const { shop } = month;
  const who = by(month, OPERATOR);
  const { requestId } = await shop.tell(OPERATOR, 'PATCH', `/accounts/${accountId}/key`, {
    active,
    ...(who.reason === undefined ? {} : { reason: who.reason }),
  });
  const account = await shop.tell<{ keyActive?: boolean }>('dora', 'GET', `/accounts/${accountId}`);
  assert.equal(account.keyActive, active);
  enterDeed(month, who, active ? 'KeyActivated' : 'KeyDeactivated', { requestId, accountId });
}
