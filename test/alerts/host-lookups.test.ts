/** Look-ups of hosts for alerts: one at a time, and none in the way of a host that is known. */
import assert from 'node:assert/strict';
import type { lookup } from 'node:dns';
import { test } from 'node:test';
import { oneLookupAtATime } from '../../src/alerts/alert-lookup.ts';

test('hosts are looked up one at a time, and a look-up that hangs is not in the way of a known host', async () => {
  const underWay: { readonly host: string; readonly end: (address: string) => void }[] = [];
  const lookUp = oneLookupAtATime(((host: string, _options: unknown, done: (...found: unknown[]) => void) => {
    underWay.push({ host, end: (address) => done(null, address, 4) });
  }) as unknown as typeof lookup);
  const ask = (host: string): Promise<unknown> =>
    new Promise((resolve) => lookUp(host, {}, (_error, address) => resolve(address)));
  const first = ask('good.test');
  underWay[0]?.end('192.0.2.1');
  assert.equal(await first, '192.0.2.1');
  const [hanging, newcomer] = [ask('dead.test'), ask('new.test')];
  assert.equal(await ask('good.test'), '192.0.2.1');
  assert.deepEqual(
    underWay.map(({ host }) => host),
    ['good.test', 'dead.test'],
  );
  underWay[1]?.end('192.0.2.2');
  assert.equal(await hanging, '192.0.2.2');
  underWay[2]?.end('192.0.2.3');
  assert.equal(await newcomer, '192.0.2.3');
});
