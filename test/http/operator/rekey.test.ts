/**
 * Keys that change at a node that serves: the master key by its file, then the data keys behind the traffic. One node for
 * all; it starts anew after each, and its folder is proved at the end.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { KeyRing } from '../../../src/persistence/disk/key-ring.ts';
import { GENESIS } from '../../../src/persistence/journal/frame-log.ts';
import { JournalReader } from '../../../src/persistence/journal/journal-reader.ts';
import { openLogReader } from '../../../src/persistence/journal/open-log.ts';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { assertRefused } from '../../contract/operator-reply.ts';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { PurserExitedError, startPurser } from '../../support/purser-process.ts';
import { QuietNode } from '../../support/quiet-node.ts';
import { readReceipt } from '../../support/receipt.ts';

type Json = Readonly<Record<string, unknown>>;
interface State extends Json {
  readonly masterKeyId: string;
  readonly dataKeyIds: readonly string[];
  readonly sealingAnew: Json;
}

const ITEMS = 3_000;
const SECRET = 'a secret of the supplier';

describe('keys that change while the node serves', () => {
  let node: QuietNode;
  let apiKey = '';
  let accountId = 0;
  let productId = 0;
  let manualOrder = 0;
  let secretMasked: unknown;
  let bought = 0;
  let receipt = '';

  before(async () => {
    node = await QuietNode.start('rekey');
    const { operator } = node;
    ({ accountId = 0 } = await ok(operator.createAccount({ name: 'Buyer', rateLimitPerMinute: null })));
    ({ apiKey = '' } = await ok(operator.issueKey(accountId)));
    await ok(operator.credit(accountId, 10_000, 'start'));
    await ok(operator.createSupplier({ name: 'Codes', url: 'http://127.0.0.1:1', secret: SECRET }));
    ({ productId = 0 } = await ok(operator.json('POST', '/products', { name: 'Codes', priceUsdt: 1 })));
    const items = Array.from({ length: ITEMS }, (_, index) => `code ${index}`);
    await ok(operator.json('POST', `/products/${productId}/stock`, { items }));
    const manual = { name: 'By hand', priceUsdt: 1, type: 'manual' };
    const { productId: manualId = 0 } = await ok(operator.json('POST', '/products', manual));
    const wanted = { productId: manualId, expectedPriceUsdt: 1 };
    ({ orderId: manualOrder = 0 } = (await node.buyers.purchase(apiKey, 'manual', wanted)).body);
    await ok(operator.json('POST', `/orders/${manualOrder}/complete`, { items: ['made by hand'] }));
    receipt = (await node.buyers.receipt(apiKey, manualOrder)).body.receipt ?? '';
    const webhook = { url: 'https://1.1.1.1/', events: ['order.failed'] };
    assert.equal((await node.buyers.setWebhook(apiKey, webhook)).status, 200);
    ({ secretMasked } = (await node.buyers.webhook(apiKey)).body.webhook ?? {});
    assert.ok(secretMasked);
  });
  after(() => node.close());

  async function state(): Promise<State> {
    return (await ok(node.operator.json('GET', '/rekey'))) as unknown as State;
  }

  /** Buys the next code; all that was sealed opens, and the keys prove what was signed at first. */
  async function assertAllOpens(): Promise<void> {
    const body = { productId, expectedPriceUsdt: 1 };
    const reply = await node.buyers.purchase(apiKey, `key ${bought}`, body);
    assert.deepEqual(reply.body.delivery?.items, [`code ${bought}`], reply.text);
    bought += 1;
    const order = await node.buyers.order(apiKey, manualOrder);
    assert.deepEqual(order.body.delivery?.items, ['made by hand'], order.text);
    assert.equal((await node.buyers.webhook(apiKey)).body.webhook?.secretMasked, secretMasked);
    const { keys = [] } = (await node.buyers.raw('GET', '/receipt-keys')).body;
    assert.equal(readReceipt(receipt, keys).orderId, manualOrder);
  }

  const file = (name: string) => join(node.folder.path, name);

  test('a new master key: everything opens, and after the next start the old one is refused', async () => {
    const old = readFileSync(file('master-key'), 'utf8');
    const before = await state();
    const reply = await node.operator.json('POST', '/rekey', { reason: 'a copy was lost' });
    assert.equal(reply.status, 200, reply.text);
    const changed = await state();
    assert.equal(reply.text.includes(readFileSync(file('master-key'), 'utf8').trim()), false);
    assert.notEqual(changed.masterKeyId, before.masterKeyId);
    assert.deepEqual(changed.dataKeyIds, before.dataKeyIds);
    await assertAllOpens();
    await node.restart();
    await assertAllOpens();

    await node.stop();
    const current = readFileSync(file('master-key'), 'utf8');
    writeFileSync(file('master-key'), old);
    await assert.rejects(
      startPurser({ dataDir: node.folder.path }),
      (error) =>
        error instanceof PurserExitedError &&
        /the master key is not the one that opens .* after `purser rekey`/.test(error.stderr),
    );
    writeFileSync(file('master-key'), current);
    await node.restart();
    await assertAllOpens();
  });

  test('a key that is none, or the one there is, is refused', async () => {
    const same = readFileSync(file('master-key'), 'utf8');
    const { masterKeyId } = await state();
    for (const newKey of ['short', same]) {
      assertRefused(await node.operator.json('POST', '/rekey', { newKey }), 400, 'BAD_REQUEST');
    }
    assert.equal((await state()).masterKeyId, masterKeyId);
  });

  test('new data keys: everything is sealed anew while it is sold, and the old key is dropped', async () => {
    const before = await state();
    const begun = await node.operator.json('POST', '/rekey/data-keys', {});
    assert.equal(begun.status, 202, begun.text);
    const again = await node.operator.json('POST', '/rekey/data-keys');
    assert.equal((again.body as unknown as State).dataKeyIds.length, 2, 'what is under way goes on');
    await eventually('everything is sealed anew', async () => {
      await assertAllOpens();
      return (await state()).sealingAnew.state === 'done';
    });
    const { dataKeyIds, sealingAnew } = await state();
    assert.equal(dataKeyIds.length, 1);
    assert.notDeepEqual(dataKeyIds, before.dataKeyIds);
    assert.equal(sealingAnew.looked, sealingAnew.total);
    await node.restart();
    await assertAllOpens();
  });

  test('what a stop interrupts is gone on with by the next start', async () => {
    await ok(node.operator.json('POST', '/rekey/data-keys', {}));
    await node.restart();
    await eventually('everything is sealed anew', async () => (await state()).sealingAnew.state === 'done');
    await assertAllOpens();
  });

  test('who changed keys is in the audit, and the folder is sound', async () => {
    const { text } = await node.operator.json('GET', '/audit');
    assert.match(text, /"action":"MasterKeyChanged","reason":"a copy was lost"/);
    assert.match(text, /"action":"DataKeysChanged"/);
    await node.stop();
    assert.equal(KeyRing.read(node.folder.path, undefined).dataKeyIds.length, 1);
    const journal = new JournalReader(openLogReader(node.folder.path), GENESIS);
    const kinds = Array.from(journal.read()).flatMap(({ facts }) => facts.map(({ kind }) => kind));
    await journal.close();
    for (const kind of ['WebhookResealed', 'SupplierResealed'] as const) {
      assert.equal(kinds.filter((each) => each === kind).length, 2, `${kind} for each time`);
    }
    const lines: string[] = [];
    assert.ok(await verifyDataFolder(node.folder.path, (line) => lines.push(line)), lines.join('\n'));
    assert.match(lines.join('\n'), /key-ring: sound, 1 data key\n[\s\S]*secrets: 2 of .* open, 0 don't/);
  });
});
