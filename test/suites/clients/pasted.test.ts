/**
 * What a buyer pastes or imports works: every line of curl in the guides, in a shell, and every request of the collection
 * for Postman, against a real node.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { PurserClient } from 'purser/client';
import { COLLECTION_FILE, type Collection } from '../../contract/openapi/collection.ts';
import { QuietNode } from '../../support/nodes/quiet-node.ts';
import { ok } from '../../support/operator-client.ts';
import { assertInstalled, CURL, ROOT } from './driver-process.ts';

const WEBHOOK = 'https://127.1.1.1/purser';

describe('pasted lines', { timeout: 120_000 }, () => {
  let node: QuietNode;
  let apiKey = '';
  let fileOrder = 0;
  let firstEvent = '';

  before(async () => {
    // Products, in this order, as the recorded bodies buy them; 60 items are more than all of this buys.
    node = await QuietNode.start('pasted', { webhookAllow: '127.0.0.0/8' });
    const { operator } = node;
    const made = async (fields: object) =>
      (await ok(operator.createProduct({ name: 'P', priceUsdt: 3.5, ...fields }))).productId ?? assert.fail();
    const items = Array.from({ length: 60 }, (_, index) => `CODE-${index}`);
    await ok(operator.addStock(await made({}), items));
    await ok(operator.setFile(await made({ type: 'file' }), Buffer.from('a file'), 'text/plain'));
    await made({ type: 'manual', priceUsdt: 5, requiresRecipient: true });
    const { accountId = assert.fail() } = await ok(operator.createAccount({ name: 'pasted' }));
    await ok(operator.credit(accountId, 1_000, 'all of it'));
    apiKey = (await ok(operator.issueKey(accountId))).apiKey ?? assert.fail();
    const client = new PurserClient({ baseUrl: node.buyerUrl, apiKey });
    fileOrder = (await client.purchase({ productId: 2, expectedPriceUsdt: 3.5 }).send()).orderId;
    await client.purchase({ productId: 1, expectedPriceUsdt: 3.5 }).send();
    for await (const { eventId } of client.events({ limit: 1 })) {
      firstEvent = eventId;
      break;
    }
  });
  after(() => node?.close());

  for (const page of ['buyer-guide', 'webhooks', 'receipts']) {
    test(`docs/${page}.md: its lines of curl`, async () => {
      assertInstalled(CURL);
      const text = readFileSync(join(ROOT, 'docs', `${page}.md`), 'utf8');
      const blocks = Array.from(text.matchAll(/^```sh\n(.*?)^```/gms), ([, block = '']) => block);
      const lines = blocks.filter((block) => block.includes('curl '));
      assert.ok(lines.length > 0, 'it shows some');
      const script = lines
        .join('\n')
        .replaceAll('http://127.0.0.1:8080/api/v1/buyer', node.buyerUrl)
        .replaceAll('pk_live_0000', apiKey)
        .replaceAll('https://shop.example/purser-events', WEBHOOK)
        .replaceAll(/\borders\/17\b/g, `orders/${fileOrder}`)
        .replaceAll('"expectedPriceUsdt": 19}', '"expectedPriceUsdt": 7}');
      const fails = 'set -e\ncurl() { command curl -sS --fail-with-body "$@"; echo; }\n';
      const env = { ...process.env, KEY: apiKey, LAST: firstEvent };
      // Not synchronously: the node is in this process.
      const { stdout: said } = await promisify(execFile)('/bin/sh', ['-c', fails + script], {
        cwd: node.folder.path,
        env,
        timeout: 60_000,
      });
      const answers = said.split('\n').filter((line) => line.startsWith('{'));
      const written = script.match(/\bcurl .*-o /g)?.length ?? 0;
      assert.equal(answers.length, (script.match(/^curl /gm)?.length ?? 0) - written, said);
      for (const answer of answers) assert.equal(JSON.parse(answer).success, true, answer);
      if (written > 0) assert.equal(readFileSync(join(node.folder.path, 'handbook'), 'utf8'), 'a file');
    });
  }

  test('the collection: each request', async () => {
    const { item: folders } = JSON.parse(readFileSync(COLLECTION_FILE, 'utf8')) as Collection;
    const requests = folders.flatMap(({ item }) => item);
    // The webhook is set before it is read, and deleted at last.
    const placeOf = (method: string) => ['POST', 'GET', 'DELETE'].indexOf(method);
    requests.sort((one, other) => placeOf(one.request.method) - placeOf(other.request.method));
    assert.ok(requests.length > 12);
    for (const { name, request } of requests) {
      const { method, header, body, url, auth } = request;
      const filled = (text: string) =>
        text.replace('{{baseUrl}}', node.buyerUrl).replace('{{$guid}}', randomUUID());
      const sent = header.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, filled(value)]);
      const headers = Object.fromEntries([...sent, ...(auth === undefined ? [['X-API-Key', apiKey]] : [])]);
      const address = filled(url.raw).replace(/:id\b/, String(fileOrder));
      const reply = await fetch(address, { method, headers, ...(body && { body: body.raw }) });
      assert.ok(reply.ok, `${name}: ${reply.status} ${await reply.text()}`);
    }
  });
});
