/** Alerts by themselves: by class, grouped, bounded, signed, and no burden whatever the endpoints do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { ALERT_KINDS, type Alert, type AlertError } from '../../src/alerts/alert.ts';
import { AlertLog } from '../../src/alerts/alert-log.ts';
import { oneLookupAtATime } from '../../src/alerts/alert-lookup.ts';
import { AlertPost, type AlertPostOptions } from '../../src/alerts/alert-post.ts';
import { Alerts } from '../../src/alerts/alerts.ts';
import { LatestAlerts } from '../../src/alerts/latest-alerts.ts';
import { NODE } from '../../src/alerts/standing-alerts.ts';
import { verifyWebhook } from '../../src/client/webhook-signature.ts';
import { eventually } from '../support/eventually.ts';
import { AlertReceiver, type ReceivedPost } from './alert-receiver.ts';

interface Options extends Partial<AlertPostOptions> {
  readonly receiver?: AlertReceiver;
  /** Besides. */
  readonly others?: readonly Partial<AlertPostOptions>[];
}

function alertsWith({ receiver, others = [], ...options }: Options) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) });
  const lookup = oneLookupAtATime();
  const posts = [{ url: receiver?.url, ...options }, ...others].flatMap(({ url, ...each }) =>
    url === undefined
      ? []
      : new AlertPost({ version: '1', log, lookup, intervalMs: 50, timeoutMs: 60_000, ...each, url }),
  );
  const alerts = new Alerts({ clock: Date.now, log: new AlertLog(log), posts });
  const raise = (number: number) =>
    alerts.raise({
      requestId: `req_${number}`,
      status: 401,
      message: 'no',
      method: 'GET',
      path: '/api/v1/buyer/balance',
      address: '198.51.100.1',
    });
  const fillDisk = () =>
    alerts.standing.begin('DISK_FULL', NODE, () => ({
      message: 'full',
      fields: { freeBytes: 0, totalBytes: 1 },
    }));
  return { alerts, lines, raise, fillDisk };
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
  for (const { headers, body } of receiver.posts) {
    assert.deepEqual([headers['content-type'], body.service], ['application/json', 'purser']);
  }
  await receiver.until(() => alerts.counters.posts === receiver.posts.length);
  await alerts.stop();
  assert.equal(alerts.counters.posts, receiver.posts.length);
  assert.equal(alerts.counters.failedPosts, 0);
});

test('what an endpoint refuses comes with the next post, and posts come slower while it does', async () => {
  await using receiver = await AlertReceiver.open();
  receiver.status = 500;
  const { alerts, raise } = alertsWith({ receiver });
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
  await receiver.until(() => alerts.counters.posts === alerts.counters.failedPosts + 1);
  const last = receiver.posts.at(-1);
  assert.deepEqual(
    last?.body.alerts.map(({ requestId }) => requestId),
    ['req_1', 'req_2'],
  );
  await alerts.stop();
  assert.equal(alerts.counters.failedPosts, receiver.posts.length - 1);
});

test('of too many of a class the first are kept, and the others counted; another class has its room', async () => {
  await using receiver = await AlertReceiver.open();
  const { alerts, lines, raise, fillDisk } = alertsWith({ receiver });
  for (let number = 1; number <= 1_000; number += 1) raise(number);
  const ownLines = () => lines.filter((line) => 'alert' in line && line.msg !== 'the disk is full');
  assert.equal(ownLines().length, 20, 'a line each for twenty a second');
  assert.equal(alerts.counters.notLogged, 980);
  fillDisk();
  assert.ok(lines.some(({ msg }) => msg === 'the disk is full'));
  const [first, ...received] = await receiver.alerts(201);
  assert.equal(first?.error, 'DISK_FULL', 'and it comes first');
  assert.deepEqual(
    received.map(({ requestId }) => requestId),
    numbers(1, 200),
  );
  assert.equal(await receiver.omitted(), 800);
  raise(1_001);
  await receiver.alerts(202);
  assert.equal(await receiver.omitted(), 800, 'what was left out is told once');
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
  const expected = { ...event, class: 'buyer', error: 'WEBHOOK_EVENT_DISCARDED' };
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

test('each URL gets what it is for, and none waits for another that is dead', async () => {
  await using all = await AlertReceiver.open();
  await using operations = await AlertReceiver.open();
  await using buyer = await AlertReceiver.open();
  await using dead = await AlertReceiver.open();
  dead.status = undefined;
  const { alerts, raise, fillDisk } = alertsWith({
    receiver: all,
    others: [
      { url: dead.url },
      { url: 'http://127.0.0.1:1/alerts' },
      { url: operations.url, class: 'operations' },
      { url: buyer.url, class: 'buyer' },
    ],
  });
  raise(1);
  fillDisk();
  alerts.raiseDiscarded(3, []);
  const errorsOf = (receiver: AlertReceiver) =>
    receiver.posts.flatMap(({ body }) => body.alerts.map(({ error }) => error)).sort();
  await all.alerts(2);
  await operations.alerts(1);
  await buyer.alerts(1);
  assert.deepEqual(errorsOf(all), ['DISK_FULL', 'UNAUTHORIZED']);
  assert.deepEqual(errorsOf(operations), ['DISK_FULL']);
  assert.deepEqual(errorsOf(buyer), ['UNAUTHORIZED']);
  assert.equal(await buyer.omitted(), 3);
  assert.equal(operations.posts.at(-1)?.body.omitted, 0);
  await alerts.stop();
});

test('of states an endpoint that was dead learns the newest of each, those of the node first', async () => {
  await using receiver = await AlertReceiver.open();
  receiver.status = 500;
  const { alerts, fillDisk } = alertsWith({ receiver });
  const { standing } = alerts;
  const low = (productId: number) => () => ({
    message: 'low',
    fields: { productId, availableStock: 1, lowStock: 9, hoursOfCover: null },
  });
  for (let id = 1; id <= 300; id += 1) standing.begin('STOCK_LOW', id, low(id));
  standing.tellNext(300);
  for (let id = 1; id <= 100; id += 1) standing.end('STOCK_LOW', id, low(id));
  standing.tellNext(100);
  await receiver.until(() => alerts.counters.failedPosts > 0);
  fillDisk();
  const failed = receiver.posts.length;
  receiver.status = 204;
  await receiver.until(() => receiver.posts.slice(failed).flatMap(({ body }) => body.alerts).length >= 301);
  const arrived = receiver.posts.filter(({ body }) => body.alerts.some(({ error }) => error === 'DISK_FULL'));
  const told = [...(arrived.at(0)?.body.alerts ?? []), ...(receiver.posts.at(-1)?.body.alerts ?? [])];
  assert.equal(told[0]?.error, 'DISK_FULL');
  const now = new Map(told.map(({ productId, state }) => [productId, state]));
  assert.equal(now.size, 301);
  for (let id = 1; id <= 300; id += 1) assert.equal(now.get(id), id <= 100 ? 'resolved' : 'firing', `${id}`);
  assert.deepEqual(receiver.posts.at(-1)?.body.firing, { DISK_FULL: 1, STOCK_LOW: 200 });
  assert.equal(alerts.counters.notPosted, 0);
  await alerts.stop();
});

test('with a secret posts are signed as webhooks are, each with an id of its own', async () => {
  await using receiver = await AlertReceiver.open();
  await using plain = await AlertReceiver.open();
  const secret = 'a secret of the operator';
  const { alerts, lines, raise } = alertsWith({ receiver, secret, others: [{ url: plain.url }] });
  for (const number of [1, 2]) {
    raise(number);
    await plain.alerts(number);
    await receiver.alerts(number);
  }
  for (const { headers, bytes: body } of receiver.posts) {
    const event = await verifyWebhook({ headers, body, secret });
    const named = [headers['x-service-event'], headers['x-service-delivery']];
    assert.deepEqual(named, ['alerts', event.eventId]);
    await assert.rejects(verifyWebhook({ headers, body, secret: 'a secret of somebody else' }));
  }
  assert.equal(new Set(receiver.posts.map(({ body: { eventId } }) => eventId)).size, receiver.posts.length);
  assert.equal(plain.posts[0]?.headers['x-service-signature'], undefined, 'without a secret there is none');
  assert.doesNotMatch(JSON.stringify(lines), new RegExp(secret));
  await alerts.stop();
});

test('a redirect, silence, and nobody there are failures, and the log has no path, which may have a token', async () => {
  await using redirecting = await AlertReceiver.open();
  redirecting.status = 307;
  await using silent = await AlertReceiver.open();
  silent.status = undefined;
  for (const [url, receiver] of [
    [`${redirecting.url}/t0ken`, redirecting],
    [`${silent.url}/t0ken`, silent],
    ['http://127.0.0.1:1/hook/t0ken', undefined],
  ] as const) {
    const { alerts, lines, raise } = alertsWith({ url, timeoutMs: 500 });
    raise(1);
    await eventually('two failures', () => alerts.counters.failedPosts >= 2);
    await alerts.stop();
    assert.equal(alerts.counters.posts, alerts.counters.failedPosts, 'what is under way ends with the node');
    const asked = receiver?.posts.length ?? 0;
    // One more may be under way.
    assert.ok(asked <= alerts.counters.failedPosts + 1, 'one at a time, and no redirect is followed');
    assert.ok(lines.some(({ origin }) => origin === new URL(url).origin));
    assert.doesNotMatch(JSON.stringify(lines), /t0ken/);
  }
});

test('of the latest the newest come first, and a flood of one class takes nothing of the other', () => {
  const latest = new LatestAlerts();
  const keep = (error: AlertError, at: number) =>
    latest.keep({ class: ALERT_KINDS[error].class, error, message: '', at } as Alert);
  const listed = () => latest.list().map(({ at }) => at);
  keep('DISK_LOW', 1);
  keep('RATE_LIMITED', 2);
  keep('DISK_FULL', 3);
  assert.deepEqual(listed(), [3, 2, 1]);
  for (let at = 4; at <= 1_000; at += 1) keep('RATE_LIMITED', at);
  assert.deepEqual(listed(), [...Array.from({ length: 50 }, (_, index) => 1_000 - index), 3, 1]);
});
