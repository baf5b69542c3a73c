/** Several frames in one commit of the folder's own log: together or not at all. The rest of its contract is frame-log.test.ts's. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { open } from 'lmdb';
import { JournalFullError } from '../../src/engine/journal.ts';
import { ByteWriter } from '../../src/persistence/codec/byte-writer.ts';
import type { FolderLog } from '../../src/persistence/journal/frame-log.ts';
import { encodeFrame, extentOf, frameHash } from '../../src/persistence/journal/journal-frame.ts';
import { createLog, logFiles, openLog, openLogReader } from '../../src/persistence/journal/open-log.ts';
import { mountSmallDisk, type SmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { placed } from '../webhooks/outbox/shop-facts.ts';

const SMALL_SEGMENTS = { segmentBytes: 24 * 1024 };
const noDisk = whyNoSmallDisk();

describe("several frames in the folder's log", () => {
  const scratch = new ByteWriter();
  let folder: TemporaryFolder;
  let disk: SmallDisk | undefined;
  let path: string;
  let log: FolderLog;

  before(async () => {
    folder = await createTemporaryFolder('folder-log');
    disk = noDisk === undefined ? mountSmallDisk(folder.path, 32) : undefined;
    path = disk?.path ?? folder.path;
    await createLog(path);
    log = openLog(path, SMALL_SEGMENTS);
  });
  after(async () => {
    await log.close();
    disk?.unmount();
    await folder.remove();
  });

  /** Behind the log's head, in one chain. */
  function nextFrames(count: number, facts = 3): Buffer[] {
    let { position, hash } = log.head;
    return Array.from({ length: count }, () => {
      const group = Array.from({ length: facts }, (_, index) => placed(position + 1 + index));
      const frame = encodeFrame(scratch, position + 1, group, hash);
      [position, hash] = [position + facts, frameHash(frame)];
      return frame;
    });
  }

  async function read(position = 0): Promise<Buffer[]> {
    const reader = openLogReader(path);
    const frames = Array.from(reader.read(position), (frame) => Buffer.from(frame));
    await reader.close();
    return frames;
  }

  /** How many transactions the newest of the log's files has had. */
  async function transactions(): Promise<number> {
    const file = open({ path: logFiles(path).at(-1) ?? '', noSubdir: true, readOnly: true });
    const { lastTxnId } = file.getStats() as { readonly lastTxnId: number };
    await file.close();
    return lastTxnId;
  }

  test('are one transaction: nobody finds the first without the last', async () => {
    for (const count of [2, 64, 64, 700]) {
      const { position } = log.head;
      const frames = nextFrames(count);
      const files = logFiles(path).length;
      const before = await transactions();
      await log.append(...frames);
      assert.ok(Buffer.concat(await read(position)).equals(Buffer.concat(frames)));
      assert.deepEqual(log.head, {
        position: position + 3 * count,
        hash: frameHash(frames.at(-1) as Buffer),
      });
      // A new file begins with one for its table.
      const isNew = logFiles(path).length > files;
      assert.equal((await transactions()) - (isNew ? 1 : before), 1, `${count} frames`);
    }
    assert.ok(logFiles(path).length > 1, 'a segment that is full is followed by another');
  });

  test('are refused when they do not follow each other, or none, and the log is as before', async () => {
    const { head } = log;
    await log.append();
    const [first = assert.fail(), , third = assert.fail()] = nextFrames(3);
    await assert.rejects(log.append(first, third), /a frame from \d+ doesn't follow/);
    assert.deepEqual(log.head, head);
    assert.deepEqual(await read(head.position), []);
  });

  test('without room none is written, and all are when there is room', {
    skip: noDisk ?? false,
  }, async () => {
    for (let round = 0; round < 2; round += 1) {
      const { head } = log;
      // More than the pages that a file has to spare, of which some would fit.
      const frames = nextFrames(40, 100);
      disk?.fill(64 * 1024);
      await assert.rejects(log.append(...frames), JournalFullError);
      disk?.free();
      assert.deepEqual(log.head, head);
      assert.deepEqual(await read(head.position), []);
      await log.append(...frames);
      assert.ok(Buffer.concat(await read(head.position)).equals(Buffer.concat(frames)));
      assert.equal(log.head.position, extentOf(frames.at(-1) as Buffer).last);
    }
  });
});
