/** Alerts by themselves: grouped, bounded, and no burden whatever the endpoint does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { AlertLog } from '../../src/alerts/alert-log.ts';
import { AlertPost, type AlertPostOptions } from '../../src/alerts/alert-post.ts';
import { Alerts } from '../../src/alerts/alerts.ts';
import { eventually } from '../support/eventually.ts';
import { AlertReceiver, type ReceivedPost } from './alert-receiver.ts';

interface Options extends Partial<AlertPostOptions> {
  readonly receiver?: AlertReceiver;
}

function alertsWith({ receiver, ...options }: Options) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) });
  const url = options.url ?? receiver?.url;
  const post =
    url === undefined
      ? undefined
      : new AlertPost({ version: '1', log, intervalMs: 50, timeoutMs: 60_000, ...options, url });
  const alerts = new Alerts({ clock: Date.now, log: new AlertLog(log), post });
  const raise = (number: number) =>
    alerts.raise({
      requestId: `req_${number}`,
      status: 401,
      message: 'no',
      method: 'GET',
      path: '/api/v1/buyer/balance',
      address: '198.51.100.1',
    });
  return { alerts, lines, raise };
}

function numbers(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `req_${first + index}`);
}

test('alerts are posted in order, in groups, never faster than the interval', async () => {
  await using receiver = await AlertReceiver.open();
  const { alerts, raise } = alertsWith({ receiver });
  const startedMs = performance.now();
  for (let number = 1; number <= 60; number += 1) {
    raise(number);
    if (number % 10 === 0) await setTimeout(20);
  }
  const received = await receiver.alerts(60);
  assert.deepEqual(
    received.map(({ requestId }) => requestId),
    numbers(1, 60),
  );
  const intervals = (performance.now() - startedMs) / 50;
  assert.ok(
    receiver.posts.length <= intervals + 1,
    `${receiver.posts.length} posts in ${intervals} intervals`,
  );
  for (const post of receiver.posts) {
    assert.equal(post.contentType, 'application/json');
    assert.equal(post.body.service, 'purser');
  }
  await receiver.until(() => alerts.counters.posts === receiver.posts.length);
  await alerts.stop();
  assert.equal(alerts.counters.posts, receiver.posts.length);
  assert.equal(alerts.counters.failedPosts, 0);
});

test('what an endpoint refuses comes with the next post, and posts come slower while it does', async () => {
  await using receiver = await AlertReceiver.open();
  receiver.status = 500;
  const { alerts, lines, raise } = alertsWith({ receiver });
  const raisedMs = performance.now();
  raise(1);
  await receiver.until(() => receiver.posts.length >= 1);
  raise(2);
  const has = (post: ReceivedPost, number: number) =>
    post.body.alerts.some(({ requestId }) => requestId === `req_${number}`);
  await receiver.until(() => receiver.posts.length >= 3 && receiver.posts.some((post) => has(post, 2)));
  // How long posts take on their way is not the sender's doing: only too early proves anything.
  const thirdMs = Number(receiver.posts[2]?.atMs) - raisedMs;
  assert.ok(thirdMs >= 100 + 200, `the third came after ${thirdMs} ms, though it waits longer each time`);
  receiver.status = 204;
  await receiver.until(() => alerts.counters.posts === 1);
  const last = receiver.posts.at(-1);
  assert.deepEqual(
    last?.body.alerts.map(({ requestId }) => requestId),
    ['req_1', 'req_2'],
  );
  await alerts.stop();
  assert.equal(alerts.counters.failedPosts, receiver.posts.length - 1);
  assert.equal(
    lines.filter(({ msg }) => String(msg).includes('posting alerts failed')).length,
    receiver.posts.length - 1,
  );
});

test('a redirect is a failure, and is not followed', async () => {
  await using receiver = await AlertReceiver.open();
  receiver.status = 307;
  const { alerts, raise } = alertsWith({ receiver });
  raise(1);
  await receiver.until(() => alerts.counters.failedPosts >= 3);
  // One more may be under way.
  assert.ok(receiver.posts.length <= alerts.counters.failedPosts + 1);
  await alerts.stop();
});

test('an endpoint that never answers delays nothing, is waited for one at a time, and ends with the node', async () => {
  await using receiver = await AlertReceiver.open();
  receiver.status = undefined;
  const { alerts, raise } = alertsWith({ receiver, timeoutMs: 100 });
  raise(1);
  await receiver.until(() => receiver.posts.length >= 2);
  assert.ok(
    alerts.counters.failedPosts >= receiver.posts.length - 1,
    'one was sent before the last was given up',
  );
  await alerts.stop();
  assert.equal(alerts.counters.posts, 0);
});

test('nobody there is a failure like any other', async () => {
  const { alerts, lines, raise } = alertsWith({ url: 'http://127.0.0.1:1/alerts' });
  raise(1);
  await eventually('a failure', () => alerts.counters.failedPosts > 0);
  await alerts.stop();
  assert.ok(lines.some(({ msg }) => String(msg).includes('posting alerts failed')));
});

test('of too many the first are kept, and the others counted', async () => {
  await using receiver = await AlertReceiver.open();
  const { alerts, lines, raise } = alertsWith({ receiver });
  for (let number = 1; number <= 1_000; number += 1) raise(number);
  const ownLines = () => lines.filter((line) => 'alert' in line);
  assert.equal(ownLines().length, 20, 'a line each for twenty a second');
  assert.equal(alerts.counters.notLogged, 980);
  const received = await receiver.alerts(200);
  assert.deepEqual(
    received.map(({ requestId }) => requestId),
    numbers(1, 200),
  );
  assert.equal(await receiver.omitted(), 800);
  raise(1_001);
  await receiver.until(() => receiver.posts.length >= 2);
  assert.equal(receiver.posts[1]?.body.omitted, 0, 'what was left out is told once');
  await alerts.stop();
  assert.equal(alerts.counters.byError.UNAUTHORIZED, 1_001);
  assert.equal(alerts.counters.notPosted, 800);

  assert.match(JSON.stringify(ownLines()[0]), /"requestId":"req_1"/);
  // The last alert has a line of its own when it came in another second.
  const leftOut = 1_001 - ownLines().length;
  assert.ok(leftOut === 980 || leftOut === 981, `${leftOut} have no line`);
  const summary = lines.filter((line) => 'alertsLeftOut' in line).map((line) => line.alertsLeftOut);
  assert.deepEqual(summary, [{ UNAUTHORIZED: leftOut }], 'and one for the others');
  assert.equal(alerts.counters.notLogged, leftOut);
});

test('of discarded events the first few are told one by one, and all are counted', async () => {
  await using receiver = await AlertReceiver.open();
  const { alerts, lines } = alertsWith({ receiver });
  const event = { accountId: 7, type: 'order.completed' };
  alerts.raiseDiscarded(1_000, [
    { ...event, requestId: '1-5', eventId: 'evt_1' },
    { ...event, requestId: '2-5', eventId: 'evt_2' },
  ]);
  const received = await receiver.alerts(2);
  const expected = { ...event, error: 'WEBHOOK_EVENT_DISCARDED' };
  for (const [index, alert] of received.entries()) {
    const { message, at, ...rest } = alert;
    assert.deepEqual(rest, { ...expected, requestId: `${index + 1}-5`, eventId: `evt_${index + 1}` });
    assert.match(message, /is not sent again/);
    assert.ok(Math.abs(at - Date.now()) < 60_000);
  }
  assert.equal(await receiver.omitted(), 998);
  await alerts.stop();
  assert.equal(alerts.counters.byError.WEBHOOK_EVENT_DISCARDED, 1_000);
  assert.equal(lines.filter(({ msg }) => msg === 'a webhook event was discarded').length, 2);
  const summary = lines.filter((line) => 'alertsLeftOut' in line).map((line) => line.alertsLeftOut);
  assert.deepEqual(summary, [{ WEBHOOK_EVENT_DISCARDED: 998 }]);
});

test('a supplier that leaves much open is told of with its number', async () => {
  await using receiver = await AlertReceiver.open();
  const { alerts, lines } = alertsWith({ receiver });
  alerts.tellOpenSupplierPurchases({ supplierId: 3, open: 1_000 });
  const [alert] = await receiver.alerts(1);
  const { message, at, ...rest } = alert ?? assert.fail('no alert');
  assert.deepEqual(rest as object, { error: 'SUPPLIER_PURCHASES_OPEN', supplierId: 3, open: 1_000 });
  assert.match(message, /purser supplier-purchase list/);
  assert.ok(Math.abs(at - Date.now()) < 60_000);
  await alerts.stop();
  assert.equal(alerts.counters.byError.SUPPLIER_PURCHASES_OPEN, 1);
  assert.equal(lines.filter(({ msg }) => msg === 'a supplier has many open purchases').length, 1);
});

test('without an endpoint there are the log and the counter', async () => {
  const { alerts, lines, raise } = alertsWith({});
  raise(1);
  await alerts.stop();
  assert.equal(lines.length, 1);
  assert.equal(alerts.counters.byError.UNAUTHORIZED, 1);
});
