/** The hosts of alert URLs are looked up one at a time, and no look-up that hangs is in the way of a known host. */
import assert from 'node:assert/strict';
import type { lookup } from 'node:dns';
import { test } from 'node:test';
import { oneLookupAtATime } from '../../src/alerts/alert-lookup.ts';

test('one at a time, in turn; a host that was found before needs no turn', async () => {
  const underWay: { readonly host: string; readonly end: (address: string) => void }[] = [];
  const lookUp = oneLookupAtATime(((host: string, _options: unknown, done: (...found: unknown[]) => void) => {
    underWay.push({ host, end: (address) => done(null, address, 4) });
  }) as unknown as typeof lookup);
  const ask = (host: string): Promise<unknown> =>
    new Promise((resolve) => lookUp(host, {}, (_error, address) => resolve(address)));
  const hosts = () => underWay.map(({ host }) => host);

  const first = ask('good.test');
  underWay[0]?.end('192.0.2.1');
  assert.equal(await first, '192.0.2.1');

  const hanging = ask('dead.test');
  const [newcomer, another] = [ask('new.test'), ask('other.test')];
  assert.equal(await ask('good.test'), '192.0.2.1');
  assert.deepEqual(hosts(), ['good.test', 'dead.test'], 'the newcomers wait for their turn');
  underWay[1]?.end('192.0.2.2');
  assert.equal(await hanging, '192.0.2.2');
  assert.deepEqual(hosts(), ['good.test', 'dead.test', 'new.test']);
  underWay[2]?.end('192.0.2.3');
  assert.equal(await newcomer, '192.0.2.3');
  underWay[3]?.end('192.0.2.4');
  assert.equal(await another, '192.0.2.4');

  const fresh = ask('good.test');
  underWay[4]?.end('192.0.2.9');
  assert.equal(await fresh, '192.0.2.9', 'when nothing hangs it is looked up anew');
});
