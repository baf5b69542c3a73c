/** POST /webhook while its look-up is under way: what happens to a registration whose client or key is gone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../../src/engine/accounts.ts';
import type { Command } from '../../../src/engine/decide/command.ts';
import { BuyerContext } from '../../../src/http/buyer/buyer-context.ts';
import type { BuyerServices } from '../../../src/http/buyer/buyer-route.ts';
import { webhookRoutes } from '../../../src/http/buyer/webhook.ts';
import type { Exchange } from '../../../src/http/transport/transport.ts';
import { RefusalCounter } from '../../../src/metrics/refusal-counter.ts';
import { NOW_MS } from '../../engine/commands.ts';

const KEY = { prefix: 'pk_live_1', sha256: 'a'.repeat(64), scopes: [], issuedAtMs: NOW_MS, isActive: true };
const BODY = Buffer.from(JSON.stringify({ url: 'https://shop.example/', events: ['order.completed'] }));

function registration(options: { lookUp: () => Promise<undefined> }) {
  const submitted: Command[] = [];
  const faults: unknown[] = [];
  const replies: number[] = [];
  let receive: (bytes: Uint8Array) => void = () => assert.fail('the body was not asked for');
  const exchange = {
    finished: false,
    header: (name: string) => (name === 'content-type' ? 'application/json' : undefined),
    readBody: (_: number, done: (bytes: Uint8Array) => void) => {
      receive = done;
    },
    reply: (status: number) => replies.push(status),
  };
  const services = {
    engine: { submit: (command: Command) => submitted.push(command) },
    webhooks: {
      refusalOf: options.lookUp,
      newSecret: () => ({ secret: 'whsec_live_1', sealedSecret: 'sealed' }),
    },
    onFault: (fault: unknown) => faults.push(fault),
    refusals: new RefusalCounter(),
    onRefused: () => {},
  };
  const account = { accountId: 1, key: KEY, webhook: null } as unknown as Account;
  const post = webhookRoutes(services as unknown as BuyerServices).find(({ method }) => method === 'POST');
  const context = new BuyerContext(
    exchange as unknown as Exchange,
    'req_1',
    0,
    account,
    undefined,
    services as unknown as BuyerServices,
  );
  post?.handle(context);
  return { submitted, faults, replies, exchange, account, receive: () => receive(BODY) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

for (const isGone of [false, true]) {
  test(`after the look-up ${isGone ? 'nothing is set, for its client has left' : 'it is decided with the key it came with'}`, async () => {
    let lookedUp = () => {};
    const promise = new Promise<undefined>((resolve) => {
      lookedUp = () => resolve(undefined);
    });
    const { receive, exchange, submitted } = registration({ lookUp: () => promise });
    receive();
    await settled();
    assert.equal(submitted.length, 0);
    exchange.finished = isGone;
    lookedUp();
    await settled();
    assert.deepEqual(
      submitted.map((command) => command.kind === 'SetWebhook' && command.keySha256),
      isGone ? [] : [KEY.sha256],
    );
  });
}

test('nothing is looked up when the key has died before the body was there', async () => {
  const { receive, account, replies } = registration({ lookUp: () => assert.fail('looked up') });
  account.key = { ...KEY };
  receive();
  await settled();
  assert.deepEqual(replies, [401]);
});
