/** TLS by the node itself: buyers buy, the certificate is renewed by SIGHUP, and what can't be used changes nothing. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';
import { eventually } from '../support/eventually.ts';
import { OPERATOR_TOKEN, type PurserProcess, startPurser } from '../support/nodes/purser-process.ts';
import { OperatorClient, ok } from '../support/operator-client.ts';
import { type Credentials, TestAuthority } from '../support/servers/test-authority.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { TRANSPORTS } from './transport/under-test.ts';

/** The time for which a stop waits for requests under way. */
const GRACE_MS = 10_000;

const authority = new TestAuthority();
const issue = () => authority.issue(['127.0.0.1', 'localhost']);

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
  readonly shown: PeerCertificate;
}

for (const { name, skip } of TRANSPORTS) {
  describe(`a node that speaks TLS, on ${name}`, { skip, timeout: 120_000 }, () => {
    let folder: TemporaryFolder;
    let node: PurserProcess;
    let apiKey: string;
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.certificate });

    function put({ cert, key }: Credentials): void {
      writeFileSync(join(folder.path, 'shop.crt'), cert);
      writeFileSync(join(folder.path, 'shop.key'), key);
    }

    /** `by`: on a connection that stays. */
    async function buy(by?: Agent): Promise<Answer> {
      const sent = JSON.stringify({ productId: 1, quantity: 1, expectedPriceUsdt: 1 });
      const asked = request(`${node.buyerUrl}/orders`, {
        method: 'POST',
        agent: by ?? false,
        ca: authority.certificate,
        headers: {
          'x-api-key': apiKey,
          'idempotency-key': randomUUID(),
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(sent),
        },
      });
      asked.end(sent);
      const [response] = await once(asked, 'response');
      const shown = (response.socket as TLSSocket).getPeerCertificate();
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part);
      return { status: response.statusCode, text: Buffer.concat(parts).toString(), shown };
    }

    function hangUp(): void {
      process.kill(node.pid, 'SIGHUP');
    }

    before(async () => {
      folder = await createTemporaryFolder('tls');
      put(issue());
      const tls = ['--tls-cert', join(folder.path, 'shop.crt'), '--tls-key', join(folder.path, 'shop.key')];
      const flags = ['--transport', name, ...tls];
      node = await startPurser({ dataDir: join(folder.path, 'data'), flags });
      const operator = new OperatorClient(node.operatorUrl, OPERATOR_TOKEN);
      const { accountId = 0 } = await ok(operator.createAccount({ name: 'Buyer' }));
      ({ apiKey = '' } = await ok(operator.issueKey(accountId)));
      await ok(operator.credit(accountId, 100, 'r-1'));
      await ok(operator.createProduct({ name: 'Code', type: 'standard', priceUsdt: 1 }));
      const codes = Array.from({ length: 50 }, (_, at) => `CODE-${at}`).join('\n');
      await ok(operator.addStock(1, codes));
    });
    after(async () => {
      agent.destroy();
      await node?.kill();
      await folder?.remove();
    });

    test('sells, and shows a renewed certificate after SIGHUP; a connection that is open stays', async () => {
      const first = await buy(agent);
      assert.match(first.text, /CODE-/);
      const renewed = issue();
      put(renewed);
      hangUp();
      await eventually('new connections are shown the new certificate', async () => {
        return (await buy()).shown.fingerprint256 !== first.shown.fingerprint256;
      });
      const again = await buy(agent);
      assert.equal(again.status, 201);
      assert.equal(again.shown.fingerprint256, first.shown.fingerprint256);
    });

    test('refuses what can’t be used with a line of its log, and the old one stays; then takes a good one', async () => {
      const broken: [files: Credentials, says: RegExp][] = [
        [{ cert: issue().cert, key: issue().key }, /is not that of/],
        [{ ...issue(), cert: issue().cert.slice(0, 200) }, /shop\.crt does not hold/],
        [{ ...issue(), key: '' }, /shop\.key does not hold/],
      ];
      const shownNow = async () => (await buy()).shown.fingerprint256;
      const shown = await shownNow();
      for (const [files, says] of broken) {
        put(files);
        hangUp();
        await eventually('the log says so', () => says.test(node.output()));
        assert.equal(await shownNow(), shown);
      }
      put(issue());
      hangUp();
      await eventually('the new one is shown', async () => (await shownNow()) !== shown);
    });

    test('stops at once, though a client has not begun to speak and another is idle', async () => {
      const { port } = new URL(node.buyerUrl);
      const silent = connect(Number(port), '127.0.0.1');
      const idle = connectTls({ port: Number(port), host: '127.0.0.1', ca: authority.certificate });
      for (const socket of [silent, idle]) socket.on('error', () => {});
      await Promise.all([once(silent, 'connect'), once(idle, 'secureConnect')]);
      // The node must have seen both.
      await delay(100);
      assert.equal(await node.stop(), 0);
      const [, stopMs] = /"stopMs":(\d+)/.exec(node.output()) ?? [];
      assert.ok(Number(stopMs) < GRACE_MS, node.output());
    });
  });
}
