/** Secrets sealed anew at an engine that is busy, or on a full disk: what waits from before the new key is awaited. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Command } from '../../src/engine/command.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { Rejection } from '../../src/engine/rejection.ts';
import { KEY_BYTES } from '../../src/persistence/disk/data-keys.ts';
import { SecretCipher } from '../../src/persistence/disk/secret-cipher.ts';
import { NoRoomError, SecretResealing } from '../../src/persistence/rekeying/secret-resealing.ts';
import { randomDataKeys } from '../support/data-keys.ts';

const SECRET = 'a secret';

/** Accounts 1 and 2; the engine answers as `refusal` says, and account 2 has a registration that waits. */
function scene(refusal: (count: number) => Rejection | undefined) {
  const keys = randomDataKeys();
  const webhookSecrets = new SecretCipher(keys, 'webhook secret');
  const supplierSecrets = new SecretCipher(keys, 'supplier secret');
  const webhookOf = (accountId: number) => ({
    webhook: { sealedSecret: webhookSecrets.seal(SECRET, accountId) },
  });
  const accounts = Object.assign(new Map([[1, webhookOf(1)]]), { nextId: 3 });
  const waiting = new Map([[2, webhookOf(2)]]);
  keys.add(randomBytes(KEY_BYTES));
  let sent = 0;
  const engine = {
    state: { accounts, suppliers: Object.assign(new Map(), { nextId: 1 }) },
    // It is never idle.
    waitingCommands: 1,
    hasWaiting: (accountId: number) => waiting.has(accountId),
    whenDurable: (callback: (isDurable: boolean) => void) => callback(true),
    submit(command: Command, replyTo: (result: unknown) => void) {
      sent += 1;
      const refused = refusal(sent);
      if (refused !== undefined) return replyTo(refused);
      if (command.kind !== 'ResealWebhook') return replyTo({ isResealed: false });
      const { accountId, before, sealedSecret } = command;
      const registered = waiting.get(accountId);
      if (registered !== undefined) accounts.set(accountId, registered);
      waiting.delete(accountId);
      const isResealed = accounts.get(accountId)?.webhook.sealedSecret === before;
      if (isResealed) accounts.set(accountId, { webhook: { sealedSecret } });
      replyTo({ isResealed });
    },
  };
  const options = { engine: engine as unknown as Engine, webhookSecrets, supplierSecrets };
  const run = () => new SecretResealing(options).run(async () => {});
  const isNew = (accountId: number) => {
    const sealed = accounts.get(accountId)?.webhook.sealedSecret ?? '';
    assert.equal(webhookSecrets.open(sealed, accountId), SECRET);
    return webhookSecrets.sealAnew(sealed, accountId) === undefined;
  };
  return { run, isNew };
}

for (const [what, refusal] of [
  ['that is never idle', () => undefined],
  ['whose mailboxes are full at times', (count) => (count <= 5 ? new Rejection('RATE_LIMITED') : undefined)],
] as [string, (count: number) => Rejection | undefined][]) {
  test(`at an engine ${what}, all secrets are sealed anew, also those that waited`, async () => {
    const { run, isNew } = scene(refusal);
    await run();
    assert.deepEqual([isNew(1), isNew(2)], [true, true]);
  });
}

test('a full disk is told', async () => {
  const { run } = scene(() => new Rejection('INTERNAL_ERROR'));
  await assert.rejects(run(), NoRoomError);
});
