/** Limits of suppliers' reports whose bodies wait, by address and in all (docs/suppliers.md). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Engine } from '../../src/engine/loop/engine.ts';
import { ClientAddresses } from '../../src/http/limits/client-address.ts';
import { RequestContext } from '../../src/http/request-context.ts';
import { supplierCallbackRoute } from '../../src/http/supplier-callback.ts';
import type { Exchange } from '../../src/http/transport/transport.ts';

const services = {
  engine: undefined as unknown as Engine,
  onFault: (error: unknown) => assert.fail(String(error)),
  onFailed: () => {},
};
const route = supplierCallbackRoute({
  reports: { mayBeSigned: () => true, hear: async () => 'heard' },
  clientAddresses: new ClientAddresses([]),
});

/** A report whose body never comes: the status that it is answered with at once, or undefined while it is awaited. */
function begin(address: string, length: number | undefined): number | undefined {
  let answered: number | undefined;
  const headers: Record<string, string | undefined> = {
    'x-service-signature': 't=1,v1=0',
    'content-type': 'application/json',
    'content-length': length?.toString(),
  };
  const exchange = {
    path: '/api/v1/supplier/1/callback',
    header: (name: string) => headers[name],
    headerValues: () => [],
    remoteAddress: () => address,
    readBody: () => undefined,
    reply: (status: number) => {
      answered = status;
    },
  } as unknown as Exchange;
  route.handle(new RequestContext(exchange, 'req_1', 1, services));
  return answered;
}

for (const [what, length, room] of [
  ['small', 100, 512],
  ['large', 1_000_000, 16],
] as const) {
  test(`${what} reports that are never ended keep a quarter of the room from others, for each address`, () => {
    for (const address of ['192.0.2.1', '192.0.2.2', '2001:db8::1', '192.0.2.4']) {
      for (let count = 0; count < room / 4; count += 1) assert.equal(begin(address, length), undefined);
      const other = address === '2001:db8::1' ? '2001:db8::ffff' : address;
      assert.equal(begin(other, length), 503, `one more of ${other}`);
    }
    assert.equal(begin('192.0.2.5', length), 503, 'one more of anybody');
  });
}

test('a report that does not say its length counts as large', () => {
  assert.equal(begin('192.0.2.9', undefined), 503);
});
