/** The master key changes at a node that serves, by its file, and is given to its owner once. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { KeyRing } from '../../../src/persistence/keys/key-ring.ts';
import { assertRefused } from '../../contract/operator-reply.ts';
import { ok } from '../../support/operator-client.ts';
import { readReceipt } from '../../support/receipt.ts';
import type { Json, OperatorCases, OperatorScene } from './operator-scene.ts';

interface State extends Json {
  readonly masterKeyId: string;
  readonly masterKeySaved?: boolean;
}

const ITEMS = 600;

export const rekey: OperatorCases = {
  title: 'a master key that changes while the node serves',
  define(scene: OperatorScene) {
    let productId = 0;
    let byHand = 0;
    let secretMasked: unknown;
    let bought = 0;
    let receipt = '';

    before(async () => {
      const { node, apiKey } = scene;
      const secret = 'a secret of the supplier';
      scene.secrets.push(secret);
      await ok(node.operator.createSupplier({ name: 'Codes', url: 'http://127.0.0.1:1', secret }));
      productId = await scene.product();
      await scene.upload(
        productId,
        Array.from({ length: ITEMS }, (_, index) => `code ${index}`),
      );
      ({ orderId: byHand } = await scene.buy(await scene.product({ type: 'manual' })));
      await ok(node.operator.moveOrder(byHand, 'complete', { items: ['made by hand'] }));
      receipt = (await node.buyers.receipt(apiKey, byHand)).body.receipt ?? '';
      const webhook = { url: 'https://1.1.1.1/', events: ['order.failed'] };
      assert.equal((await node.buyers.setWebhook(apiKey, webhook)).status, 200);
      ({ secretMasked } = (await node.buyers.webhook(apiKey)).body.webhook ?? {});
      assert.ok(secretMasked);
    });

    const state = async () => (await scene.json('GET', '/rekey')) as State;
    const masterKey = () => join(scene.node.folder.path, 'master-key');

    /** Buys the next code; all that was sealed opens, and the keys prove what was signed at first. */
    async function assertAllOpens(): Promise<void> {
      const { node, apiKey } = scene;
      assert.deepEqual((await scene.buy(productId)).items, [`code ${bought}`]);
      bought += 1;
      const order = await node.buyers.order(apiKey, byHand);
      assert.deepEqual(order.body.delivery?.items, ['made by hand'], order.text);
      assert.equal((await node.buyers.webhook(apiKey)).body.webhook?.secretMasked, secretMasked);
      const { keys = [] } = (await node.buyers.raw('GET', '/receipt-keys')).body;
      assert.equal(readReceipt(receipt, keys).orderId, byHand);
    }

    const save = (reason: string) => scene.node.operator.json('POST', '/rekey/save', { reason });

    test('the master key is given once, also when two ask at the same time', async () => {
      const { masterKeyId, masterKeySaved } = await state();
      assert.equal(masterKeySaved, false);
      const [first, second] = await Promise.all([save('into the safe'), save('into the safe')]);
      const [given, refused] = first.status === 200 ? [first, second] : [second, first];
      assert.equal(given.status, 200, given.text);
      const shown = JSON.parse(given.text);
      assert.deepEqual(
        [shown.masterKey, shown.masterKeyId],
        [readFileSync(masterKey(), 'utf8').trim(), masterKeyId],
      );
      assert.equal(given.headers.get('cache-control'), 'no-store');
      assertRefused(refused, 409, 'TRANSITION_NOT_ALLOWED');
      assert.match(String(refused.body.message), /the audit says when and by whom .* file master-key/);
      for (const path of ['/rekey', '/status', '/overview'])
        assert.equal((await scene.json('GET', path)).masterKeySaved, true, path);
    });

    test('a new master key: everything opens, and after the next start the old one is refused', async () => {
      const { node } = scene;
      const old = readFileSync(masterKey(), 'utf8');
      const before = await state();
      const reply = await node.operator.json('POST', '/rekey', { reason: 'a copy was lost' });
      assert.equal(reply.status, 200, reply.text);
      const current = readFileSync(masterKey(), 'utf8');
      assert.equal(reply.text.includes(current.trim()), false);
      const changed = await state();
      assert.notEqual(changed.masterKeyId, before.masterKeyId);
      assert.equal(changed.masterKeySaved, false);
      const given = await save('the new one, too');
      assert.equal(JSON.parse(given.text).masterKey, current.trim(), given.text);
      await assertAllOpens();
      await node.stop();
      writeFileSync(masterKey(), old);
      const opening = { fromEnvironment: undefined, isBegun: true, hasTexts: () => true };
      assert.throws(
        () => KeyRing.load({ folder: node.folder.path, ...opening }),
        /the master key is not the one that opens .* after `purser rekey`/,
      );
      writeFileSync(masterKey(), current);
      await node.start();
      await assertAllOpens();
      assert.equal((await state()).masterKeySaved, true);
      assertRefused(await save('once more'), 409, 'TRANSITION_NOT_ALLOWED');
    });

    test('a key that is none, or the one there is, is refused', async () => {
      const { masterKeyId } = await state();
      for (const newKey of ['short', readFileSync(masterKey(), 'utf8')]) {
        assertRefused(await scene.node.operator.json('POST', '/rekey', { newKey }), 400, 'BAD_REQUEST');
      }
      assert.equal((await state()).masterKeyId, masterKeyId);
    });

    test('who changed it and who has it is in the audit, and no file but its own has the key', async () => {
      const { node } = scene;
      const { text } = await node.operator.json('GET', '/audit');
      assert.match(text, /"action":"MasterKeyChanged","reason":"a copy was lost"/);
      assert.match(text, /"action":"MasterKeyShown","reason":"into the safe"/);
      assert.match(text, /"action":"MasterKeyShown","reason":"the new one, too"/);
      assert.doesNotMatch(text, /"reason":"once more"/);
      const key = readFileSync(masterKey(), 'utf8').trim();
      const having = readdirSync(node.folder.path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .filter((entry) => bytesIn(join(entry.parentPath, entry.name)).includes(key));
      assert.deepEqual(
        having.map(({ name }) => name),
        ['master-key'],
      );
    });
  },
};

/** The checkpoint takes files away while the node serves. */
function bytesIn(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOENT');
    return Buffer.alloc(0);
  }
}
