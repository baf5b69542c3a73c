/** SPEC.md §5: every 400, 401 and 429 raises an alert with its requestId: log line, counter, POST. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RefusalAlert } from '../../src/alerts/alert.ts';
import { AlertReceiver } from '../alerts/alert-receiver.ts';
import { RawClient } from '../http/transport/raw-client.ts';
import type { BuyerReply } from '../support/buyer-client.ts';
import { withoutTransport } from '../support/nodes/uws-binary.ts';
import { freshIdempotencyKey, known, Scene } from './scene.ts';

for (const transport of ['uws', 'node']) {
  const skip = withoutTransport(transport);
  describe(`alerts (--transport ${transport})`, { timeout: 120_000, skip }, () => {
    let receiver: AlertReceiver;
    let scene: Scene;
    before(async () => {
      receiver = await AlertReceiver.open();
      const flags = { alertUrl: receiver.url, trustProxy: ['127.0.0.1'], lowBalanceLimit: '1' };
      scene = new Scene(transport, flags);
      await scene.start();
    });
    after(async () => {
      await scene.close();
      await receiver.close();
    });

    /** How many lines the log has of a request. */
    const lines = (requestId: unknown) =>
      scene.log().match(new RegExp(`"level":40.*"requestId":"${requestId}"`, 'g'))?.length ?? 0;

    test('§5 tell of 400, 401 and 429, and of nothing else', async () => {
      const { accountId, apiKey } = await scene.buyer({
        balanceUsdt: 1,
        scopes: ['orders:write', 'orders:read'],
      });
      const productId = await scene.product({ stock: 1 });
      const wanted = { productId, expectedPriceUsdt: 3.5 };
      const buy = (key: string = freshIdempotencyKey(), body = wanted) =>
        scene.buyers.purchase(apiKey, key, body);
      const stranger = { 'x-api-key': 'nobody', 'x-forwarded-for': '198.51.100.7' };
      const told = {
        status: 401,
        error: 'UNAUTHORIZED',
        method: 'GET',
        path: '/api/v1/buyer/orders/7',
        address: '198.51.100.7',
      } as const;
      const expected: (readonly [BuyerReply, Partial<RefusalAlert>])[] = [
        [await scene.buyers.raw('GET', '/orders/7', stranger), told],
        [await scene.buyers.raw('GET', '/balance'), { status: 401, address: '127.0.0.1' }],
        [await buy(''), { status: 400, error: 'BAD_REQUEST', method: 'POST', accountId }],
      ];
      const quietFromMs = performance.now();
      const quiet = [
        await scene.buyers.raw('GET', '/nowhere', { 'x-api-key': apiKey }),
        await scene.buyers.order(apiKey, 999_999),
        await scene.buyers.balance(apiKey),
        await buy(undefined, { ...wanted, expectedPriceUsdt: 1 }),
        await buy(),
      ];
      assert.deepEqual(
        quiet.map(({ status }) => status),
        [404, 404, 403, 409, 402],
      );
      const throttled = await buy();
      const minute = Number(throttled.headers['retry-after']);
      const passedSeconds = (performance.now() - quietFromMs) / 1_000;
      assert.ok(minute <= 60 && minute >= 60 - passedSeconds, `${minute} after ${passedSeconds} s`);
      expected.push([throttled, { status: 429, error: 'RATE_LIMITED', accountId }]);

      const alerts = await receiver.alerts(expected.length);
      assert.equal(alerts.length, expected.length);
      for (const [index, [{ body }, fields]] of expected.entries()) {
        const alert = known(alerts[index]);
        const { requestId, message } = body;
        assert.deepEqual({ ...alert, ...fields, requestId, message }, alert);
        assert.ok(Math.abs(alert.at - Date.now()) < 30_000);
        assert.equal(lines(requestId), 1);
      }
      for (const { body } of quiet) assert.equal(lines(body.requestId), 0);
      const metrics = (await scene.operator.json('GET', '/metrics')).text;
      for (const line of [
        'purser_alerts_total{error="BAD_REQUEST"} 1',
        'purser_alerts_total{error="UNAUTHORIZED"} 2',
        'purser_alerts_total{error="RATE_LIMITED"} 1',
        'purser_alerts_not_logged_total 0',
        'purser_alert_posts_failed_total 0',
      ]) {
        assert.ok(metrics.includes(line), `${line} in\n${metrics}`);
      }
    });

    if (transport === 'node') {
      test('§5 tell of a 400 that the HTTP parser gave, too', async () => {
        const client = await RawClient.connect(Number(new URL(scene.server.buyerUrl).port));
        client.send('NONSENSE\r\n\r\n');
        const { status, body } = await client.reply();
        assert.equal(status, 400);
        assert.equal(lines(JSON.parse(body).requestId), 1);
        client.close();
      });
    }

    test('§2 a key from outside its account’s networks is a wrong key, byte by byte, and is told of', async () => {
      const { accountId, apiKey } = await scene.buyer({ balanceUsdt: 1 });
      const networks = ['203.0.113.0/24', '::ffff:198.51.100.8', '2001:db8:1::/48'];
      const set = (allowedNetworks: unknown) =>
        scene.operator.json('PATCH', `/accounts/${accountId}`, { allowedNetworks });
      const ask = (from: string, key = apiKey) =>
        scene.buyers.raw('GET', '/balance', { 'x-api-key': key, 'x-forwarded-for': from });
      assert.equal((await ask('192.0.2.77')).status, 200);
      assert.equal((await set(networks)).status, 200);
      for (const from of ['203.0.113.200', '198.51.100.8', '::ffff:203.0.113.1', '2001:db8:1:2::3'])
        assert.equal((await ask(from)).status, 200, from);
      const bytesOf = ({ status, text, headers, body }: BuyerReply) => {
        const { 'x-request-id': _, date: __, ...others } = headers;
        return [status, text.replace(String(body.requestId), '…'), others];
      };
      const wrong = `${apiKey.slice(0, -1)}${apiKey.endsWith('0') ? '1' : '0'}`;
      for (const from of ['192.0.2.77', '198.51.100.9', '2001:db8:2::1', '::1']) {
        const refused = await ask(from);
        assert.equal(refused.status, 401, from);
        assert.deepEqual(bytesOf(refused), bytesOf(await ask(from, wrong)));
        const alert = await receiver.alert(({ requestId }) => requestId === refused.body.requestId);
        const { class: of, error, address, accountId: named, status } = alert;
        assert.deepEqual(
          [of, error, address, named, status],
          ['buyer', 'ADDRESS_NOT_ALLOWED', from, accountId, 401],
        );
        assert.match(String(alert.message), new RegExp(`account ${accountId} .*${from}`));
      }
      // Each was a failed authentication of its address, as many as wrong keys are: then both are 429.
      const from = '192.0.2.78';
      for (let failures = 0; failures < 20; failures += 1) assert.equal((await ask(from)).status, 401);
      const throttled = await ask(from);
      assert.equal(throttled.status, 429);
      assert.deepEqual(bytesOf(throttled)[1], bytesOf(await ask(from, wrong))[1]);
      assert.equal((await ask('203.0.113.200')).status, 200);
      assert.equal((await set(null)).status, 200);
      assert.equal((await ask(from)).status, 200);
    });
  });
}
