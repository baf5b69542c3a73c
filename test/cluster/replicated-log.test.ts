/** The folder's log behind a leader's: what is confirmed gets there, also when commits of the folder take longer. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { ReplicatedLog } from '../../src/cluster/replicated-log.ts';
import { JournalFullError } from '../../src/engine/loop/journal.ts';
import { JournalWriter } from '../../src/persistence/journal/journal-writer.ts';
import { JournalFolder } from '../persistence/journal/journal-folder.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { account } from '../webhooks/outbox/shop-facts.ts';

describe("a leader's folder", () => {
  const ends: (() => Promise<void>)[] = [];
  let local: JournalFolder['log'];
  let log: ReplicatedLog;
  /** In the shared log. */
  let shared: Buffer[];
  let mirrored: number[];

  beforeEach(async () => {
    const folder = await createTemporaryFolder('replicated-log');
    const own = await JournalFolder.open(folder.path);
    ends.push(() => own.close().then(folder.remove));
    local = own.log;
    [shared, mirrored] = [[], []];
    log = new ReplicatedLog({
      writer: { append: async (_, frame) => void shared.push(frame) },
      local,
      onMirrored: (position) => mirrored.push(position),
      onFatal: (error) => assert.fail(String(error)),
    });
  });
  after(async () => {
    for (const end of ends) await end();
  });

  async function sell(count: number): Promise<void> {
    const writer = new JournalWriter(log);
    for (let sold = 0; sold < count; sold += 1) {
      const next = log.head.position + 1;
      await writer.append(next, [account(next)]);
    }
  }

  test('catches up with many frames in a commit, in their order', async () => {
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const commits: number[] = [];
    const append = local.append.bind(local);
    local.append = async (...frames) => {
      commits.push(frames.length);
      await held;
      await append(...frames);
    };
    await sell(100);
    assert.equal(local.head.position, 0);
    assert.deepEqual([...log.read(0)], shared, 'who reads here sees all of them');
    goOn();
    await log.mirroredThrough(65);
    await log.mirrored();
    assert.deepEqual(commits, [1, 64, 35]);
    assert.deepEqual(mirrored, [1, 65, 100]);
    assert.deepEqual([...local.read(0)], shared);
    assert.deepEqual(local.head, log.head);
  });

  test('shows each frame once, also while a commit is on disk that the folder has not told of', async () => {
    const append = local.append.bind(local);
    const { head } = local;
    const seen: Buffer[][] = [];
    local.append = async (...frames) => {
      await append(...frames);
      Object.defineProperty(local, 'head', { value: head, configurable: true });
      seen.push([...log.read(0)]);
      Reflect.deleteProperty(local, 'head');
    };
    await sell(5);
    await log.mirrored();
    assert.deepEqual(seen[0], shared.slice(0, seen[0]?.length));
    assert.deepEqual(seen.at(-1), shared);
  });

  test('without room it takes them later, each once', async () => {
    const append = local.append.bind(local);
    local.append = () => {
      local.append = append;
      return Promise.reject(new JournalFullError());
    };
    await sell(5);
    await log.mirrored();
    assert.deepEqual([...local.read(0)], shared);
  });
});
