/** A node that stops answers requests that wait for events at once, with what there is; on both transports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BuyerClient } from '../../support/buyer-client.ts';
import { eventually } from '../../support/eventually.ts';
import { startInProcess } from '../../support/nodes/node-in-process.ts';
import { WITHOUT_UWS } from '../../support/nodes/uws-binary.ts';
import { OperatorClient, ok } from '../../support/operator-client.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

for (const transport of WITHOUT_UWS ? ['node'] : ['uws', 'node'])
  test(`a node that stops answers who waits (${transport})`, async (t) => {
    const folder = await createTemporaryFolder('waiting-events');
    t.after(() => folder.remove());
    const node = await startInProcess({ data: folder.path, transport, logLevel: 'error' });
    t.after(() => node.stop());
    const operator = new OperatorClient(node.operatorUrl, node.operatorToken);
    const buyers = new BuyerClient(node.buyerUrl);
    t.after(() => buyers.close());
    const { accountId = 0 } = await ok(operator.createAccount({ name: 'buyer' }));
    const { apiKey = '' } = await ok(operator.issueKey(accountId));
    await ok(operator.credit(accountId, 1, 'deposit'));
    let lastEventId = '';
    // A page with groups goes as far as these have settled, which may be a moment later.
    await eventually('the credit is told', async () => {
      lastEventId = (await buyers.events(apiKey)).body.lastEventId ?? '';
      return lastEventId !== '';
    });
    const answers = ['order.completed', 'order.completed,catalog.updated'].map((types) =>
      buyers.events(apiKey, { after: lastEventId, types, wait: 29 }),
    );
    await eventually('both wait', async () => {
      const { text } = await operator.request('GET', '/metrics', {});
      return /^purser_event_requests_waiting 2$/m.test(text);
    });
    const stopped = node.stop();
    for (const { status, body, text } of await Promise.all(answers))
      assert.deepEqual([status, body.events, body.lastEventId], [200, [], lastEventId], text);
    await stopped;
  });
