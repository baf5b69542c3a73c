/** COMMERCE.md §8: deposits, the transfers that pay them, and those that nobody claimed. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { casesOf, known } from '../scene.ts';

/** `--deposit-confirmations`, as it is by default. */
const CONFIRMED = 20;

interface Deposit {
  readonly depositId: number;
  readonly address: string;
  readonly payUsdt: number;
  readonly expiresAt: number;
  readonly state: string;
  readonly reference?: string;
}

export const deposits = casesOf('deposits', (scene) => {
  const post = async (path: string, body: object) => scene.operator.json('POST', path, body);
  const fieldsOf = ({ text }: { readonly text: string }) => JSON.parse(text);

  async function opened(accountId: number, amountUsdt = 50): Promise<Deposit> {
    const reply = await post(`/accounts/${accountId}/deposits`, { network: 'trc20', amountUsdt });
    assertDone(reply, 201);
    return fieldsOf(reply);
  }

  const transferOf = ({ address, payUsdt }: Deposit, changes: object = {}) => ({
    ...{ network: 'trc20', txId: randomUUID().replaceAll('-', ''), address, amountUsdt: payUsdt },
    ...{ confirmations: CONFIRMED, at: Date.now(), ...changes },
  });

  async function observed(transfer: object) {
    const reply = await post('/deposits/observed', transfer);
    assertDone(reply, 200);
    const { state, accountId } = fieldsOf(reply);
    return { state, accountId };
  }

  const balanceOf = async (accountId: number) =>
    (await scene.operator.getAccount(accountId)).body.balanceUsdt;
  const emptyAccount = async () => (await scene.buyer({ balanceUsdt: 0 })).accountId;
  const listed = async (query: string): Promise<Deposit[]> =>
    fieldsOf(await scene.operator.json('GET', `/deposits?${query}`)).deposits;

  test('have an amount of their own, and the transfer of exactly it credits the wallet, once', async () => {
    const [first, second] = [await emptyAccount(), await emptyAccount()];
    const theirs = [await opened(first), await opened(second), await opened(second)];
    const amounts = theirs.map(({ address, payUsdt }) => `${address} ${payUsdt}`);
    assert.equal(new Set(amounts).size, 3);
    for (const { payUsdt, state, address } of theirs) {
      assert.ok(payUsdt > 50 && payUsdt <= 50.009999, `${payUsdt}`);
      assert.deepEqual([state, /^TShop[12]$/.test(address)], ['waiting', true]);
    }
    const paid = known(theirs[1]);
    const transfer = transferOf(paid);
    assert.deepEqual(await observed({ ...transfer, confirmations: CONFIRMED - 1 }), {
      state: 'waiting',
      accountId: second,
    });
    assert.equal(await balanceOf(second), 0);
    const all = await Promise.all(Array.from({ length: 5 }, () => observed(transfer)));
    for (const each of all) assert.deepEqual(each, { state: 'credited', accountId: second });
    assert.deepEqual([await balanceOf(first), await balanceOf(second)], [0, paid.payUsdt]);
    const [other, row] = await listed(`accountId=${second}`);
    const reference = `trc20:${transfer.txId}:0`;
    assert.deepEqual([row?.state, row?.reference, other?.state], ['credited', reference, 'waiting']);
    const statement = fieldsOf(await scene.operator.json('GET', `/accounts/${second}/statement`));
    const movements = statement.movements.map((movement: Record<string, unknown>) => [
      movement.kind,
      movement.reference,
    ]);
    assert.deepEqual(movements, [['deposit', reference]]);
    // The same amount once more is another transfer, which nobody waits for any more.
    assert.deepEqual(await observed(transferOf(paid)), { state: 'unclaimed', accountId: undefined });
  });

  test('two transfers of one transaction are two, and an operator’s credit of a reference is its credit', async () => {
    const accountId = await emptyAccount();
    const [one, two, three] = [await opened(accountId), await opened(accountId), await opened(accountId)];
    const transfer = transferOf(known(one));
    await observed(transfer);
    await observed({ ...transferOf(known(two)), txId: transfer.txId, logIndex: 1 });
    assert.equal(await balanceOf(accountId), Number((one.payUsdt + two.payUsdt).toFixed(6)));
    const byHand = transferOf(known(three));
    await scene.operator.credit(accountId, three.payUsdt, `trc20:${byHand.txId}:0`);
    assert.deepEqual(await observed(byHand), { state: 'credited', accountId });
    const again = await scene.operator.credit(accountId, one.payUsdt, `trc20:${transfer.txId}:0`);
    assert.equal(again.status, 200);
    const sum = one.payUsdt + two.payUsdt + three.payUsdt;
    assert.equal(await balanceOf(accountId), Number(sum.toFixed(6)));
  });

  test('a transfer that matches none is unclaimed, until it is assigned, once', async () => {
    const [accountId, other] = [await emptyAccount(), await emptyAccount()];
    const deposit = await opened(accountId);
    for (const changes of [
      { amountUsdt: 50 },
      { address: deposit.address === 'TShop1' ? 'TShop2' : 'TShop1' },
    ]) {
      const transfer = transferOf(deposit, changes);
      assert.equal((await observed(transfer)).state, 'unclaimed');
      assert.equal((await observed(transfer)).state, 'unclaimed');
    }
    const transfer = transferOf(deposit, { amountUsdt: 12.5 });
    const reference = `trc20:${transfer.txId}:0`;
    await observed(transfer);
    const unclaimed = (await listed('state=unclaimed')).find((row) => row.reference === reference);
    assert.equal(unclaimed?.state, 'unclaimed');
    const path = `/deposits/unclaimed/${encodeURIComponent(reference)}/assign`;
    assertRefused(await post(path, { accountId: 999_999 }), 404, 'NOT_FOUND');
    assertDone(await post(path, { accountId }), 200);
    assert.equal(
      fieldsOf(await post(`/deposits/unclaimed/${reference}/assign`, { accountId })).repeated,
      true,
    );
    assertRefused(await post(path, { accountId: other }), 409, 'TRANSITION_NOT_ALLOWED');
    assertRefused(await post('/deposits/unclaimed/trc20:none:0/assign', { accountId }), 404, 'NOT_FOUND');
    assert.deepEqual([await balanceOf(accountId), await balanceOf(other)], [12.5, 0]);
    assert.deepEqual(await observed(transfer), { state: 'credited', accountId });
    const left = await listed('state=unclaimed');
    assert.ok(left.every((row) => row.reference !== reference));
  });

  test('what is no deposit and no transfer is 400 with its name, and credits nothing', async () => {
    const accountId = await emptyAccount();
    const deposit = await opened(accountId);
    const bad: [path: string, body: object, named: RegExp][] = [
      [`/accounts/${accountId}/deposits`, { network: 'btc', amountUsdt: 1 }, /network.*trc20, erc20/],
      [`/accounts/${accountId}/deposits`, { network: 'trc20', amountUsdt: 0 }, /amountUsdt/],
      [`/accounts/${accountId}/deposits`, { network: 'trc20', amountUsdt: 1.0000001 }, /amountUsdt/],
      [`/accounts/${accountId}/deposits`, { network: 'trc20', amountUsdt: 8_500_000_000 }, /maximum/],
      ['/deposits/observed', transferOf(deposit, { amountUsdt: -1 }), /amountUsdt/],
      ['/deposits/observed', transferOf(deposit, { amountUsdt: 50.0000001 }), /amountUsdt/],
      ['/deposits/observed', transferOf(deposit, { address: 'TOther' }), /address/],
      ['/deposits/observed', transferOf(deposit, { network: 'erc20' }), /address/],
      ['/deposits/observed', transferOf(deposit, { txId: 'a:b' }), /txId/],
      ['/deposits/observed', transferOf(deposit, { logIndex: -1 }), /logIndex/],
      ['/deposits/observed', transferOf(deposit, { at: 8_640_000_000_000_001 }), /at/],
      ['/deposits/observed', transferOf(deposit, { token: 'USDC' }), /token/],
    ];
    for (const [path, body, named] of bad) {
      const reply = await post(path, body);
      assertRefused(reply, 400, 'BAD_REQUEST');
      assert.match(reply.text, named);
    }
    assertRefused(
      await post('/accounts/999999/deposits', { network: 'trc20', amountUsdt: 1 }),
      404,
      'NOT_FOUND',
    );
    assert.equal(await balanceOf(accountId), 0);
  });

  test('an account has ten that wait at most, and they are listed newest first, in pages', async () => {
    const accountId = await emptyAccount();
    const ids: number[] = [];
    for (let count = 0; count < 10; count += 1) ids.unshift((await opened(accountId, 1 + count)).depositId);
    const told: number[] = [];
    let cursor: string | undefined = '';
    do {
      const query = `limit=4&accountId=${accountId}${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { text } = await scene.operator.json('GET', `/deposits?${query}`);
      const page: { deposits: Deposit[]; nextCursor?: string } = JSON.parse(text);
      told.push(...page.deposits.map(({ depositId }) => depositId));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    assert.deepEqual(told, ids);
    const more = { network: 'trc20', amountUsdt: 1 };
    assertRefused(await post(`/accounts/${accountId}/deposits`, more), 429, 'RATE_LIMITED');
  });

  test('a bot opens them for its own accounts, reports transfers, and sees neither others nor the unclaimed', async () => {
    const input = { name: `bot-${randomUUID()}`, role: 'bot', externalIdPrefix: `${randomUUID()}:` };
    const { token, externalIdPrefix } = fieldsOf(await post('/operators', input));
    const bot = new CheckedOperatorClient(scene.server.operatorUrl, token);
    const made = { name: 'Chat', externalId: `${externalIdPrefix}1` };
    const { accountId } = fieldsOf(await bot.json('POST', '/accounts', made));
    const stranger = await emptyAccount();
    const asked = { network: 'trc20', amountUsdt: 7 };
    const deposit = fieldsOf(await bot.json('POST', `/accounts/${accountId}/deposits`, asked));
    const theirs = await opened(stranger);
    assertRefused(await bot.json('POST', `/accounts/${stranger}/deposits`, asked), 403, 'FORBIDDEN');
    const rows = fieldsOf(await bot.json('GET', '/deposits')).deposits;
    assert.deepEqual(
      rows.map((row: Deposit) => row.depositId),
      [deposit.depositId],
    );
    assertRefused(await bot.json('GET', '/deposits?state=unclaimed'), 403, 'FORBIDDEN');
    const reply = await bot.json('POST', '/deposits/observed', transferOf(deposit));
    assert.deepEqual([reply.status, fieldsOf(reply).state], [200, 'credited']);
    assert.equal(fieldsOf(reply).accountId, accountId);
    for (const confirmations of [0, CONFIRMED]) {
      const transfer = transferOf(theirs, { txId: 'ofAStranger', confirmations });
      const { state, accountId: shown } = fieldsOf(await bot.json('POST', '/deposits/observed', transfer));
      assert.deepEqual([state, shown], [confirmations === 0 ? 'waiting' : 'credited', undefined]);
    }
    const { addresses, confirmations } = fieldsOf(await bot.json('GET', '/deposits/addresses'));
    assert.deepEqual([addresses.length, confirmations], [3, CONFIRMED]);
    const path = '/deposits/unclaimed/trc20:none:0/assign';
    assertRefused(await bot.json('POST', path, { accountId }), 403, 'FORBIDDEN');
  });
});
