/** Receipts that the client keeps: where, when, and what becomes of the purchase when that fails. */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { withClient } from './client-under-test.ts';
import { breakOff, json, refusal } from './scripted-server.ts';

const REQUEST = { productId: 7, expectedPriceUsdt: 3.5 };

function placed(orderId: number, status = 'completed') {
  return json(201, { success: true, orderId, status, requestId: 'req_1' });
}

function receipt(text: string) {
  return json(200, { success: true, receipt: text, requestId: 'req_2' });
}

test('receipt(orderId) resolves with the receipt; without the option, a purchase asks for none', () =>
  withClient([receipt('a.b.c'), placed(41)], async ({ client, requests }) => {
    assert.equal((await client.receipt(41)).receipt, 'a.b.c');
    assert.deepEqual([requests[0]?.method, requests[0]?.path], ['GET', '/api/v1/buyer/orders/41/receipt']);
    await client.purchase(REQUEST).send();
    assert.equal(requests.length, 2);
  }));

test('in a file, each is a line of its own that is there when the purchase is answered, also of many at once', async () => {
  const folder = await createTemporaryFolder('receipts');
  const file = join(folder.path, 'receipts.txt');
  const step: ReturnType<typeof json> = (response, request, timeOut) => {
    const [, orderId] = /orders\/(\d+)\/receipt/.exec(request.path) ?? [];
    const answer =
      orderId === undefined ? placed(Number(request.headers['idempotency-key'])) : receipt(textOf(orderId));
    answer(response, request, timeOut);
  };
  const textOf = (orderId: string) => orderId.repeat(50_000);
  await withClient(
    Array.from({ length: 20 }, () => step),
    async ({ client }) => {
      const buy = async (idempotencyKey: string) => {
        await client.purchase(REQUEST, { idempotencyKey }).send();
        assert.ok(readFileSync(file, 'utf8').split('\n').includes(textOf(idempotencyKey)));
      };
      await buy('10');
      assert.equal(statSync(file).mode & 0o777, 0o600);
      appendFileSync(file, 'cut sho');
      const keys = Array.from({ length: 9 }, (_, index) => String(index + 1));
      await Promise.all(keys.map(buy));
      const lines = readFileSync(file, 'utf8').split('\n');
      assert.deepEqual(lines.toSorted(), ['', ...['10', ...keys].map(textOf), 'cut sho'].toSorted());
    },
    { receipts: { file } },
  );
  await folder.remove();
});

test('an order that has failed since is charged no more, and has no receipt', () =>
  withClient(
    [placed(41, 'failed')],
    async ({ client, requests }) => {
      assert.equal((await client.purchase(REQUEST).send()).status, 'failed');
      assert.equal(requests.length, 1);
    },
    { receipts: () => assert.fail('there is none') },
  ));

const failures = [
  ['the server refuses it', [refusal(403, 'FORBIDDEN')], () => {}, 'FORBIDDEN'],
  ['no answer comes, however often', [breakOff, breakOff, breakOff, breakOff], () => {}, 'NETWORK_ERROR'],
  ['it can’t be kept', [receipt('a.b.c')], () => Promise.reject(new Error('full')), 'full'],
  ['the file can’t be opened', [receipt('a.b.c')], { file: '/dev/null/receipts' }, 'ENOTDIR'],
] as const;
for (const [name, script, receipts, reason] of failures) {
  test(`the purchase is answered all the same when ${name}`, async () => {
    const told: string[] = [];
    const onReceiptError = (error: unknown, { orderId }: { readonly orderId: number }) => {
      const { code, message } = error as Error & { readonly code?: string };
      told.push(`${orderId} ${code ?? message}`);
    };
    await withClient(
      [placed(41), ...script],
      async ({ client }) => assert.equal((await client.purchase(REQUEST).send()).orderId, 41),
      { receipts, onReceiptError },
    );
    assert.deepEqual(told, [`41 ${reason}`]);
  });
}
