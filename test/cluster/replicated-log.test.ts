/** The folder's log behind a leader's: what is confirmed gets there, also when commits of the folder take longer. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ReplicatedLog } from '../../src/cluster/replicated-log.ts';
import { JournalFullError } from '../../src/engine/journal.ts';
import { JournalWriter } from '../../src/persistence/journal/journal-writer.ts';
import { JournalFolder } from '../persistence/journal-folder.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { account } from '../webhooks/outbox/shop-facts.ts';

describe("a leader's folder", () => {
  let folder: TemporaryFolder;
  const journals: JournalFolder[] = [];

  before(async () => {
    folder = await createTemporaryFolder('replicated-log');
  });
  after(async () => {
    for (const each of journals) await each.close();
    await folder.remove();
  });

  /** A node that leads; its folder's commits wait until `goOn`, of which each is told how many frames it has. */
  async function leader(name: string) {
    const path = join(folder.path, name);
    mkdirSync(path);
    const own = await JournalFolder.open(path);
    journals.push(own);
    const { log: local } = own;
    const commits: number[] = [];
    const mirrored: number[] = [];
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const append = local.append.bind(local);
    local.append = async (...frames) => {
      commits.push(frames.length);
      await held;
      await append(...frames);
    };
    const shared: Buffer[] = [];
    const log = new ReplicatedLog({
      writer: { append: async (_, frame) => void shared.push(frame) },
      local,
      onMirrored: (position) => mirrored.push(position),
      onFatal: (error) => assert.fail(String(error)),
    });
    const sell = async (count: number) => {
      const writer = new JournalWriter(log);
      for (let sold = 0; sold < count; sold += 1) {
        const next = log.head.position + 1;
        await writer.append(next, [account(next)]);
      }
    };
    return { log, local, commits, mirrored, shared, sell, goOn };
  }

  test('catches up with many frames in a commit, in their order', async () => {
    const { log, local, commits, mirrored, shared, sell, goOn } = await leader('catches-up');
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
    const { log, local, shared, sell, goOn } = await leader('amid-a-commit');
    const { append, head } = local;
    const seen: Buffer[][] = [];
    local.append = async (...frames) => {
      await append(...frames);
      Object.defineProperty(local, 'head', { value: head, configurable: true });
      seen.push([...log.read(0)]);
      Reflect.deleteProperty(local, 'head');
    };
    goOn();
    await sell(5);
    await log.mirrored();
    assert.deepEqual(seen[0], shared.slice(0, seen[0]?.length));
    assert.deepEqual(seen.at(-1), shared);
  });

  test('without room it takes them later, each once', async () => {
    const { log, local, shared, sell, goOn } = await leader('without-room');
    const { append } = local;
    local.append = () => {
      local.append = append;
      return Promise.reject(new JournalFullError());
    };
    goOn();
    await sell(5);
    await log.mirrored();
    assert.deepEqual([...local.read(0)], shared);
  });
});
