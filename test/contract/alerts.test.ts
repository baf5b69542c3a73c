/** SPEC.md §5: every 400, 401 and 429 raises an alert with its requestId: log line, counter, POST. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RefusalAlert } from '../../src/alerts/alert.ts';
import { AlertReceiver } from '../alerts/alert-receiver.ts';
import { RawClient } from '../http/transport/raw-client.ts';
import type { BuyerReply } from '../support/buyer-client.ts';
import { eventually } from '../support/eventually.ts';
import { ok } from '../support/operator-client.ts';
import { withoutTransport } from '../support/uws-binary.ts';
import { freshIdempotencyKey, known, Scene } from './scene.ts';

for (const transport of ['uws', 'node']) {
  describe(`alerts (--transport ${transport})`, {
    timeout: 120_000,
    skip: withoutTransport(transport),
  }, () => {
    let receiver: AlertReceiver;
    let scene: Scene;
    before(async () => {
      receiver = await AlertReceiver.open();
      const flags = ['--alert-url', receiver.url, '--trust-proxy', '127.0.0.1', '--low-balance-limit', '1'];
      scene = new Scene(transport, flags);
      await scene.start();
    });
    after(async () => {
      await scene.stop();
      await receiver.close();
    });

    test('§5 tell of 400, 401 and 429, and of nothing else', async () => {
      const buyer = await scene.buyer({ balanceUsdt: 1, scopes: ['orders:write', 'orders:read'] });
      const productId = await scene.product({ stock: 1 });
      const wanted = { productId, expectedPriceUsdt: 3.5 };
      const stranger = { 'x-api-key': 'nobody', 'x-forwarded-for': '198.51.100.7' };
      const raising: readonly (readonly [BuyerReply, Partial<RefusalAlert>])[] = [
        [
          await scene.buyers.raw('GET', '/orders/7', stranger),
          {
            status: 401,
            error: 'UNAUTHORIZED',
            method: 'GET',
            path: '/api/v1/buyer/orders/7',
            address: '198.51.100.7',
          },
        ],
        [await scene.buyers.raw('GET', '/balance'), { status: 401, address: '127.0.0.1' }],
        [
          await scene.buyers.purchase(buyer.apiKey, '', wanted),
          { status: 400, error: 'BAD_REQUEST', method: 'POST', accountId: buyer.accountId },
        ],
      ];
      const quietFromMs = performance.now();
      const quiet = [
        await scene.buyers.raw('GET', '/nowhere', { 'x-api-key': buyer.apiKey }),
        await scene.buyers.order(buyer.apiKey, 999_999),
        await scene.buyers.balance(buyer.apiKey),
        await scene.buyers.purchase(buyer.apiKey, freshIdempotencyKey(), { ...wanted, expectedPriceUsdt: 1 }),
        await scene.buyers.purchase(buyer.apiKey, freshIdempotencyKey(), wanted),
      ];
      assert.deepEqual(
        quiet.map(({ status }) => status),
        [404, 404, 403, 409, 402],
      );
      const throttled = await scene.buyers.purchase(buyer.apiKey, freshIdempotencyKey(), wanted);
      const minute = Number(throttled.headers['retry-after']);
      const passedSeconds = (performance.now() - quietFromMs) / 1_000;
      assert.equal(throttled.status, 429);
      assert.ok(minute <= 60 && minute >= 60 - passedSeconds, `${minute} after ${passedSeconds} s`);
      const expected = [
        ...raising,
        [throttled, { status: 429, error: 'RATE_LIMITED', accountId: buyer.accountId }] as const,
      ];

      const alerts = await receiver.alerts(expected.length);
      assert.deepEqual(
        alerts.map(({ requestId }) => requestId),
        expected.map(([reply]) => reply.body.requestId),
      );
      for (const [index, [reply, fields]] of expected.entries()) {
        const alert = known(alerts[index]);
        assert.deepEqual({ ...alert, ...fields, message: reply.body.message }, alert);
        assert.ok(Math.abs(alert.at - Date.now()) < 30_000);
        const line = new RegExp(`"level":40.*"requestId":"${alert.requestId}"`);
        await eventually('its line in the log', () => line.test(scene.server.output()));
      }
      for (const { body } of quiet) {
        assert.doesNotMatch(scene.server.output(), new RegExp(`"requestId":"${body.requestId}"`));
      }
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
        const { requestId } = JSON.parse(body) as { readonly requestId: string };
        const line = new RegExp(`"level":40.*"requestId":"${requestId}"`);
        await eventually('its line in the log', () => line.test(scene.server.output()));
        client.close();
      });

      // Behind the transport, which changes nothing of it.
      test('§5 in any number are all counted, and fill neither the log nor the posts', async () => {
        const linesSoFar = () => scene.server.output().match(/"alert":/g)?.length ?? 0;
        const before = linesSoFar();
        const startedMs = performance.now();
        // However slowly the flood comes, nothing is posted meanwhile: more wait than are kept.
        receiver.status = 503;
        const flood = Array.from({ length: 600 }, () => scene.buyers.raw('GET', '/products'));
        for (const { status } of await Promise.all(flood)) assert.equal(status, 401);
        const metrics = await ok(scene.operator.json('GET', '/status')).then(() =>
          scene.operator.json('GET', '/metrics'),
        );
        assert.match(metrics.text, /purser_alerts_total\{error="UNAUTHORIZED"\} 602\b/);
        // Twenty a second, of which the test before may have taken some.
        await eventually('the first second has its lines', () => linesSoFar() - before >= 10);
        const lines = linesSoFar() - before;
        const seconds = (performance.now() - startedMs) / 1_000;
        assert.ok(lines <= 20 * (seconds + 2), `${lines} lines in ${seconds} s`);
        receiver.status = 204;
        const refused = receiver.posts.length;
        // The wait for the next post was doubled with each that was refused, up to a minute.
        const isTold = () => receiver.posts.slice(refused).some(({ body }) => body.omitted > 0);
        await eventually('what was left out of the posts is told', isTold, 90_000);
      });
    }
  });
}
