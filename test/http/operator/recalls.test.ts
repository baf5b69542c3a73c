/** A recalled text is never for sale again, in whatever order uploads, withdrawals and the recall come. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openUpload } from '../../support/open-upload.ts';
import { ok } from '../../support/operator-client.ts';
import { QuietNode } from '../../support/quiet-node.ts';

type Json = Readonly<Record<string, unknown>>;

describe('recalled texts', () => {
  let node: QuietNode;

  before(async () => {
    node = await QuietNode.start('recalls');
  });
  after(() => node.close());

  async function json(method: string, path: string, body?: unknown): Promise<Json> {
    const reply = await node.operator.json(method, path, body);
    assert.ok(reply.status < 300, reply.text);
    return JSON.parse(reply.text) as Json;
  }

  async function product(): Promise<number> {
    return Number((await json('POST', '/products', { name: 'Codes', priceUsdt: 1 })).productId);
  }

  async function upload(productId: number, items: readonly string[], query = ''): Promise<number> {
    return Number((await json('POST', `/products/${productId}/stock${query}`, { items })).lotId);
  }

  const recall = (lotId: number): Promise<Json> => json('POST', `/lots/${lotId}/recall`);

  /** All that can still be sold, which is none then. */
  async function forSale(productId: number): Promise<readonly string[]> {
    return (await ok(node.operator.withdrawStock(productId, 10_000))).items ?? [];
  }

  test('one that was withdrawn and uploaded again goes off sale with its first lot, and that is said', async () => {
    const productId = await product();
    const first = await upload(productId, ['a', 'b', 'c', 'd']);
    await node.operator.withdrawStock(productId, 2);
    const second = await upload(productId, ['new 1', 'b', 'a', 'new 2']);
    const { withdrawn, copiesWithdrawn } = await recall(first);
    assert.deepEqual([withdrawn, copiesWithdrawn], [2, 2]);
    const lot = await json('GET', `/lots/${second}`);
    assert.deepEqual([lot.available, lot.withdrawn, lot.recalledAt], [2, 2, undefined]);
    const again = await recall(first);
    assert.deepEqual([again.withdrawn, 'copiesWithdrawn' in again], [2, false]);
    const { entries } = await json('GET', '/audit?limit=2');
    const actions = (entries as Json[]).map(({ action, requestId }) => [action, requestId]);
    assert.deepEqual([actions[0]?.[0], actions[1]?.[0]], ['StockWithdrawn', 'LotRecalled']);
    assert.equal(actions[0]?.[1], actions[1]?.[1], 'both are of one call');
    await node.restart();
    assert.deepEqual(await forSale(productId), ['new 1', 'new 2']);
  });

  test('one that was uploaded twice on purpose goes everywhere, but where it was sold', async () => {
    const productId = await product();
    const query = '?allowDuplicates=true';
    const alike = Array.from({ length: 700 }, () => 'alike');
    const early = await upload(productId, [...alike, 'early'], query);
    const bad = await upload(productId, ['alike', 'bad', 'alike'], query);
    const late = await upload(productId, ['late', ...alike, 'bad'], query);
    const { copiesWithdrawn, withdrawn } = await recall(bad);
    assert.deepEqual([withdrawn, copiesWithdrawn], [3, 1_401]);
    for (const [lotId, left] of [
      [early, 1],
      [late, 1],
    ]) {
      assert.equal((await json('GET', `/lots/${lotId}`)).available, left);
    }
    assert.deepEqual(await forSale(productId), ['early', 'late']);
  });

  const orders: [when: string, steps: ('begin' | 'end' | 'recall')[]][] = [
    ['before the upload', ['recall', 'begin', 'end']],
    ['while the upload is under way', ['begin', 'recall', 'end']],
    ['after the upload', ['begin', 'end', 'recall']],
  ];
  for (const query of ['', '?allowDuplicates=true']) {
    for (const [when, steps] of orders) {
      test(`a recall ${when} keeps the text off sale (${query === '' ? 'withdrawn' : 'a duplicate'})`, async () => {
        const productId = await product();
        const lotId = await upload(productId, ['text', 'other']);
        if (query === '') await node.operator.withdrawStock(productId, 1);
        let uploading: ReturnType<typeof openUpload> | undefined;
        for (const step of steps) {
          if (step === 'recall') await recall(lotId);
          else if (step === 'begin') {
            uploading = openUpload(node.operator, 'POST', `/products/${productId}/stock${query}`, 'text\n');
            await delay(20);
          } else {
            const { status, body } = await (uploading?.end('good\n') ?? assert.fail());
            if (status === 400) assert.match(body.message ?? '', /A lot was recalled meanwhile/);
            else assert.equal(status, 201);
          }
        }
        assert.ok(!(await forSale(productId)).includes('text'));
      });
    }
  }
});
