/**
 * The contract of a backup's target (`src/backup/target/backup-target.ts`), for every implementation: a folder, our own S3
 * store, and a real one when PURSER_TEST_S3 names it as s3://bucket/prefix, with PURSER_S3_ENDPOINT, AWS_ACCESS_KEY_ID and
 * AWS_SECRET_ACCESS_KEY beside it. There everything lies below a prefix of its own, and stays.
 */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type BackupTarget, MAX_OBJECT_BYTES, TargetError } from '../../src/backup/target/backup-target.ts';
import { openTarget } from '../../src/backup/target/open-target.ts';
import { honoursConditions } from '../../src/backup/target/target-conditions.ts';
import { startFaultyS3 } from '../support/servers/faulty-s3.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

interface Place {
  /** Opened anew each time, as by another node. */
  open(): BackupTarget;
  remove(): Promise<void>;
}

const REAL = process.env.PURSER_TEST_S3;

const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  'a folder': async () => {
    const folder = await createTemporaryFolder('target');
    return { open: () => openTarget(folder.path, {}, { makesFolder: false }), remove: folder.remove };
  },
  'our own S3 store, with lists of 3': async () => {
    const store = await startFaultyS3({ pageSize: 3 });
    return { open: () => openTarget(store.url, store.env, { makesFolder: false }), remove: store.close };
  },
  ...(REAL !== undefined && {
    'a real S3 store': async () => {
      const url = `${REAL}/${randomUUID()}`;
      return { open: () => openTarget(url, process.env, { makesFolder: false }), remove: async () => {} };
    },
  }),
};

async function namesOf(target: BackupTarget, prefix: string, after?: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of target.list(prefix, after === undefined ? {} : { after })) names.push(name);
  return names;
}

function hasFault(fault: TargetError['fault'], message: RegExp = /./) {
  return (error: unknown) =>
    error instanceof TargetError && error.fault === fault && message.test(error.message);
}

for (const [what, open] of Object.entries(PLACES)) {
  describe(what, () => {
    let place: Place;
    before(async () => {
      place = await open();
    });
    after(() => place.remove());

    function testHere(name: string, body: (place: Place, target: BackupTarget) => Promise<void>): void {
      test(name, async () => {
        const target = place.open();
        await body(place, target);
        await target.close();
        assert.equal(target.holdsThread, false);
      });
    }

    testHere('gives back what was written, to whoever opens it', async ({ open: openAgain }, target) => {
      const contents = [Buffer.alloc(0), Buffer.from('a'), randomBytes(3 * 1024 * 1024)];
      for (const [index, bytes] of contents.entries()) {
        assert.equal(await target.create(`same/000001/${index}.chunk`, bytes), true);
        assert.deepEqual(await openAgain().read(`same/000001/${index}.chunk`), bytes);
      }
      // A part of a larger buffer is that part.
      assert.equal(await target.create('same/part', Buffer.from('abcdef').subarray(2, 4)), true);
      assert.equal(String(await target.read('same/part')), 'cd');
      assert.equal(await target.read('same/missing'), undefined);
      assert.equal(await target.read('nowhere/at/all'), undefined);
    });

    testHere(
      'gives a name once: of many writers one gets it, and its bytes stay',
      async ({ open: openAgain }) => {
        const writers = Array.from({ length: 8 }, (_, index) => ({ target: openAgain(), index }));
        const won = await Promise.all(
          writers.map(({ target, index }) => target.create('race/1.chunk', Buffer.alloc(100_000, index))),
        );
        assert.equal(won.filter(Boolean).length, 1);
        const expected = Buffer.alloc(100_000, won.indexOf(true));
        assert.deepEqual(await openAgain().read('race/1.chunk'), expected);
        assert.equal(await openAgain().create('race/1.chunk', Buffer.from('late')), false);
        assert.deepEqual(await openAgain().read('race/1.chunk'), expected);
        assert.equal(await honoursConditions(openAgain()), true);
        assert.equal(await honoursConditions(openAgain()), true, 'and when the probe is there');
      },
    );

    testHere('lists by name over everything below a prefix, and goes on behind a name', async (_, target) => {
      const log = ['000001/1-1.chunk', '000001/10-1.chunk', '000001/2-1.chunk', '000001-x', '000001.y'];
      const names = log.map((name) => `list/log/${name}`).sort();
      const [logs, run] = ['list/logs', 'list/runs/1.json'];
      for (const name of [run, ...names.toReversed(), logs]) await target.create(name, Buffer.from(name));
      assert.deepEqual(await namesOf(target, 'list/log/'), names);
      assert.deepEqual(await namesOf(target, 'list/log'), [...names, logs]);
      assert.deepEqual(await namesOf(target, 'list/'), [...names, logs, run]);
      for (const behind of [...names, 'list/log/000001/15'])
        assert.deepEqual(
          await namesOf(target, 'list/log/', behind),
          names.filter((name) => name > behind),
        );
      assert.deepEqual(await namesOf(target, 'list/nothing/'), []);
      for await (const { name, sizeBytes } of target.list('list/log/')) assert.equal(sizeBytes, name.length);
    });

    testHere('removes, also what is not there', async (_, target) => {
      await target.create('gone/1', Buffer.from('1'));
      await target.remove('gone/1');
      await target.remove('gone/1');
      assert.equal(await target.read('gone/1'), undefined);
      assert.deepEqual(await namesOf(target, 'gone/'), []);
      assert.equal(await target.create('gone/1', Buffer.from('2')), true, 'its name is free again');
    });

    testHere('refuses names that lead out of it, and more than an object may have', async (_, target) => {
      const wrong = [
        '',
        '..',
        'a/../../x',
        '/etc/passwd',
        'a//b',
        'a/.b',
        'a\\b',
        'ä',
        'a\0b',
        'a'.repeat(600),
      ];
      for (const name of wrong) {
        await assert.rejects(target.create(name, Buffer.from('x')), hasFault('invalid', /altered/), name);
        await assert.rejects(target.read(name), hasFault('invalid'), name);
        await assert.rejects(target.remove(name), hasFault('invalid'), name);
      }
      const large = Buffer.allocUnsafe(MAX_OBJECT_BYTES + 1);
      await assert.rejects(target.create('large', large), hasFault('invalid', /large|more than/));
      assert.equal(await target.read('large'), undefined);
    });

    testHere('ends when its caller gives up', async (_, target) => {
      const options = { signal: AbortSignal.abort() };
      const givenUp = hasFault('unreachable', /given up/);
      await assert.rejects(target.create(`up/${randomUUID()}`, Buffer.from('x'), options), givenUp);
      await assert.rejects(target.read('up/1', options), givenUp);
      await assert.rejects(target.remove('up/1', options), givenUp);
      await assert.rejects(async () => {
        for await (const object of target.list('up/', options)) assert.fail(object.name);
      }, givenUp);
      const later = new AbortController();
      const reading = target.read('same/part', { signal: later.signal });
      await turn();
      later.abort();
      await reading.catch((error) => assert.ok(givenUp(error), String(error)));
    });
  });
}
