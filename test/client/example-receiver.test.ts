/** examples/receiver as it is run: a process of its own, over TLS, with deliveries that the server's own code signs. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { deliveryHeaders } from '../../src/webhooks/delivery/delivery-headers.ts';
import { newWebhookSecret } from '../../src/webhooks/webhook-secret.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { TestAuthority } from '../support/servers/test-authority.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const RECEIVER = join(repositoryRoot(), 'examples/receiver/receiver.mjs');
const EVENT = { orderId: 41, eventId: 'evt_17', type: 'order.completed' as const };

describe('the example receiver', { timeout: 60_000 }, () => {
  const authority = new TestAuthority();
  const [oldSecret, secret] = [newWebhookSecret(), newWebhookSecret()];
  let folder: TemporaryFolder;
  let receiver: ChildProcess;
  let lines: AsyncIterator<string>;
  let port = 0;

  async function nextLine(): Promise<string> {
    const { value } = await lines.next();
    return value ?? assert.fail('it has exited');
  }

  before(async () => {
    folder = await createTemporaryFolder('receiver');
    const [certFile, keyFile] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
    const { cert, key } = authority.issue(['localhost', '127.0.0.1']);
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key);
    const args = [RECEIVER, '--cert', certFile, '--key', keyFile, '--port', '0'];
    const env = { ...process.env, WEBHOOK_SECRET: `${oldSecret},${secret}` };
    receiver = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    assert.ok(receiver.stdout);
    lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
    port = Number(/^waiting for webhooks on https:.*:(\d+)\/$/.exec(await nextLine())?.[1]);
  });
  after(async () => {
    receiver.kill();
    await folder.remove();
  });

  function deliver(signedWith: string, event: typeof EVENT): Promise<number | undefined> {
    const body = Buffer.from(JSON.stringify(event));
    const task = { eventType: event.type, eventId: event.eventId, requestId: 'req_1' } as const;
    const headers = deliveryHeaders(task, signedWith, body, Date.now());
    return new Promise((resolve, reject) => {
      const ca = authority.certificate;
      const options = { host: 'localhost', family: 4, port, method: 'POST', headers, ca };
      const outgoing = request(options, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  test('prints an event once, however often it comes, and refuses with 400 what is signed with another secret', async () => {
    assert.equal(await deliver(secret, EVENT), 204);
    assert.deepEqual(JSON.parse(await nextLine()), EVENT);
    assert.equal(await deliver(oldSecret, EVENT), 204);
    assert.equal(await nextLine(), 'repeated: evt_17');
    assert.equal(await deliver(newWebhookSecret(), { ...EVENT, eventId: 'evt_18' }), 400);
    assert.match(await nextLine(), /^refused: the signature/);
  });
});
