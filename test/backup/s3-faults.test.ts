/** Each way in which a store fails ends the call, in one sentence that says what to do, and without a key. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import { type BackupTarget, TargetError, type TargetFault } from '../../src/backup/target/backup-target.ts';
import { openTarget } from '../../src/backup/target/open-target.ts';
import { honoursConditions } from '../../src/backup/target/target-conditions.ts';
import { type FaultyS3, startFaultyS3 } from '../support/servers/faulty-s3.ts';
import type { FaultName } from '../support/servers/s3-faults.ts';

const BYTES = randomBytes(300_000);
const PATIENCE = { answerMs: 20_000, bytesPerSecond: 10_000_000 };
/** The patience of a call to a store that hangs, which lasts as long. */
const SHORT_PATIENCE = { ...PATIENCE, answerMs: 300 };

type Outcome = readonly [TargetFault, RegExp];

/** The outcomes of a write, a read and a list of a store with this fault. */
const REFUSED_CALLS: Partial<Record<FaultName, Outcome>> = {
  hang: ['unreachable', /no answer within/],
  slowDown: ['unreachable', /can not answer now.*503 SlowDown/],
  full: ['full', /no room left.*make room/],
  noRight: ['refused', /no right to (read|write|list) here/],
  noBucket: ['refused', /there is no bucket shop at 127.0.0.1:\d+; correct its name/],
  conflict: ['unreachable', /409 ConditionalRequestConflict/],
};

describe('an S3 store that fails', () => {
  let store: FaultyS3;
  let target: BackupTarget;
  before(async () => {
    store = await startFaultyS3();
    target = openTarget(store.url, store.env, { makesFolder: false, patience: PATIENCE });
  });
  afterEach(() => {
    store.mend();
    store.objects.clear();
  });
  after(() => store.close());

  async function list(from = target): Promise<string[]> {
    const names: string[] = [];
    for await (const { name } of from.list('')) names.push(name);
    return names;
  }

  async function fails(call: Promise<unknown>, [fault, message]: Outcome): Promise<void> {
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof TargetError, String(error));
      assert.match(error.message, message);
      assert.equal(error.fault, fault, error.message);
      assert.doesNotMatch(error.message, /secret|\n/);
      return true;
    });
  }

  test('each refusal ends the call, and stores nothing', async () => {
    store.objects.set('there', BYTES);
    for (const [fault, outcome] of Object.entries(REFUSED_CALLS) as [FaultName, Outcome][]) {
      const end = store.fail(fault);
      const patience = fault === 'hang' ? SHORT_PATIENCE : PATIENCE;
      const failing = openTarget(store.url, store.env, { makesFolder: false, patience });
      const calls = [failing.create('new', BYTES), failing.read('there'), list(failing)];
      await Promise.all(calls.map((call) => fails(call, outcome)));
      end();
    }
    assert.deepEqual([...store.objects.keys()], ['there']);
  });

  test('a lost reply: the object is there, and the next try says that its name is taken', async () => {
    store.fail('lostReply', { times: 1 });
    await fails(target.create('a', BYTES), ['unreachable', /connection/]);
    assert.equal(await target.create('a', BYTES), false);
    assert.deepEqual(await target.read('a'), BYTES);
    store.fail('storedBut412', { times: 1 });
    assert.equal(await target.create('b', BYTES), false, 'as it is when a proxy asks twice');
    assert.deepEqual(await target.read('b'), BYTES);
  });

  test('conditions: a store that ignores them is found out, one that refuses them is no target', async () => {
    for (const fault of ['ignoresConditions', 'racyConditions'] as const) {
      const end = store.fail(fault);
      assert.equal(await honoursConditions(target), false, fault);
      end();
      store.objects.clear();
    }
    assert.equal(await honoursConditions(target), true);
    // A store of its own: the first refusal ends the call, and the other writers may come when the store is mended.
    const refusing = await startFaultyS3();
    refusing.fail('conditionsUnknown');
    const asked = openTarget(refusing.url, refusing.env, { makesFolder: false, patience: PATIENCE });
    await fails(honoursConditions(asked), ['refused', /If-None-Match.*choose a store/]);
    await asked.close();
    await refusing.close();
  });

  test('lists: late ones come as they are, those without sense or end are refused', async () => {
    store.fail('lateList', { on: 'LIST', times: 1 });
    await target.create('a', BYTES);
    assert.deepEqual(await list(), []);
    assert.deepEqual(await list(), ['a']);
    store.fail('endlessList', { on: 'LIST' });
    await fails(list(), ['invalid', /order of their names/]);
    store.objects.clear();
    await fails(list(), ['invalid', /same page again/]);
    store.fail('nonsense', { on: 'LIST' });
    await fails(list(), ['invalid', /no list of objects; check PURSER_S3_ENDPOINT/]);
  });

  test('keys or a region that the store does not have are refused, and nothing is stored', async () => {
    const wrong: readonly (readonly [Record<string, string>, RegExp])[] = [
      [{ AWS_ACCESS_KEY_ID: 'OTHER' }, /does not know these keys; check AWS_ACCESS_KEY_ID/],
      [{ AWS_SECRET_ACCESS_KEY: 'other-secret' }, /check AWS_ACCESS_KEY_ID and/],
      [{ PURSER_S3_REGION: 'us-west-9' }, /not in region us-west-9; set PURSER_S3_REGION to eu-test-1/],
    ];
    for (const [settings, message] of wrong) {
      const env = { ...store.env, ...settings };
      const other = openTarget(store.url, env, { makesFolder: false, patience: PATIENCE });
      await fails(other.create('a', BYTES), ['refused', message]);
      await fails(list(other), ['refused', message]);
    }
    assert.equal(store.objects.size, 0);
  });
});
