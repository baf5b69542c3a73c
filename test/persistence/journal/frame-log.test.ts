/**
 * The contract of the log's port, held by the embedded log, packed or not, the simulated one, and a leader's. Beyond it, the
 * embedded log takes several frames in one commit: together or not at all.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { open } from 'lmdb';
import { JournalFullError } from '../../../src/engine/loop/journal.ts';
import { ByteWriter } from '../../../src/persistence/codec/byte-writer.ts';
import type { FolderLog, LogReader } from '../../../src/persistence/journal/frame-log.ts';
import { encodeFrame, extentOf, frameHash } from '../../../src/persistence/journal/journal-frame.ts';
import { JournalPacking } from '../../../src/persistence/journal/journal-packing.ts';
import {
  createLog,
  isPackedSegment,
  logFiles,
  openLog,
  openLogReader,
} from '../../../src/persistence/journal/open-log.ts';
import { simulatedSharedLog } from '../../cluster/shared-log.ts';
import { SimulatedLog } from '../../simulation/simulated-log.ts';
import { mountSmallDisk, type SmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { placed } from '../../webhooks/outbox/shop-facts.ts';
import { LeadersLog, type LogUnderTest, SMALL_SEGMENTS, testFrameLog } from './frame-log-contract.ts';

interface Place {
  readonly folder: TemporaryFolder;
  readonly disk: SmallDisk | undefined;
}

/** On a disk of its own where there can be one: elsewhere nothing is shown of a full disk. */
async function emptyPlace(megabytes = 4): Promise<Place> {
  const folder = await createTemporaryFolder('frame-log');
  const disk = whyNoSmallDisk() === undefined ? mountSmallDisk(folder.path, megabytes) : undefined;
  await createLog(disk?.path ?? folder.path);
  return { folder, disk };
}

class EmbeddedLog implements LogUnderTest {
  log: FolderLog;
  readonly disk: SmallDisk | undefined;
  readonly path: string;
  readonly #folder: TemporaryFolder;

  constructor({ folder, disk }: Place) {
    this.#folder = folder;
    this.disk = disk;
    this.path = disk?.path ?? folder.path;
    this.log = openLog(this.path, SMALL_SEGMENTS);
  }

  reader(): LogReader {
    return openLogReader(this.path);
  }

  append(frame: Buffer): Promise<void> {
    return this.log.append(frame);
  }

  async reopen(): Promise<void> {
    await this.log.close();
    this.log = openLog(this.path, SMALL_SEGMENTS);
  }

  async appendWithoutRoom(frame: Buffer): Promise<void> {
    if (this.disk === undefined) throw new JournalFullError();
    this.disk.fill();
    try {
      await this.log.append(frame);
    } finally {
      this.disk.free();
    }
  }

  async close(): Promise<void> {
    assert.ok(logFiles(this.path).length > 1, 'frames lie in several segments');
    await this.log.close();
    this.disk?.unmount();
    await this.#folder.remove();
  }
}

/** Full segments are packed meanwhile, a part with each append. */
class PackedLog extends EmbeddedLog {
  #packing = this.#begin();

  override async append(frame: Buffer): Promise<void> {
    await super.append(frame);
    this.#packing.step(this.log.head.position);
  }

  override async reopen(): Promise<void> {
    this.#finish();
    await super.reopen();
    this.#packing = this.#begin();
  }

  override async close(): Promise<void> {
    this.#finish();
    assert.ok(logFiles(this.path).filter(isPackedSegment).length > 3, 'several segments are packed');
    await super.close();
  }

  #finish(): void {
    while (this.#packing.step(this.log.head.position) !== false);
  }

  #begin(): JournalPacking {
    return new JournalPacking(this.path, () => openLogReader(this.path), 4_096);
  }
}

class InMemoryLog implements LogUnderTest {
  readonly log = new SimulatedLog();

  reader(): LogReader {
    return this.log;
  }

  append(frame: Buffer): Promise<void> {
    const appended = this.log.append(frame);
    this.log.land();
    return appended;
  }

  async reopen(): Promise<void> {
    this.log.crash(false);
  }

  appendWithoutRoom(frame: Buffer): Promise<void> {
    const appended = this.log.append(frame);
    this.log.refuse();
    return appended;
  }

  async close(): Promise<void> {}
}

testFrameLog('embedded', async () => new EmbeddedLog(await emptyPlace()));
testFrameLog('embedded, packed', async () => new PackedLog(await emptyPlace()));
testFrameLog('simulated', async () => new InMemoryLog());
testFrameLog("leader's", async () => LeadersLog.open(await simulatedSharedLog()));

describe("several frames in the folder's log", () => {
  const scratch = new ByteWriter();
  let subject: EmbeddedLog;
  before(async () => {
    subject = new EmbeddedLog(await emptyPlace(32));
  });
  after(() => subject.close());

  /** Behind the log's head, in one chain. */
  function nextFrames(count: number, facts = 3): Buffer[] {
    let { position, hash } = subject.log.head;
    return Array.from({ length: count }, () => {
      const group = Array.from({ length: facts }, (_, index) => placed(position + 1 + index));
      const frame = encodeFrame(scratch, position + 1, group, hash);
      [position, hash] = [position + facts, frameHash(frame)];
      return frame;
    });
  }

  /** The log has these frames behind that position, and ends with them. */
  async function assertHolds(frames: readonly Buffer[], position: number): Promise<void> {
    const reader = subject.reader();
    assert.ok(
      Buffer.concat(Array.from(reader.read(position), (frame) => Buffer.from(frame))).equals(
        Buffer.concat(frames),
      ),
    );
    await reader.close();
    const last = frames.at(-1);
    assert.equal(subject.log.head.position, last === undefined ? position : extentOf(last).last);
    if (last !== undefined) assert.deepEqual(subject.log.head.hash, frameHash(last));
  }

  /** How many transactions the newest of the log's files has had. */
  async function transactions(): Promise<number> {
    const file = open({ path: logFiles(subject.path).at(-1) ?? '', noSubdir: true, readOnly: true });
    const { lastTxnId } = file.getStats() as { readonly lastTxnId: number };
    await file.close();
    return lastTxnId;
  }

  test('are one transaction: nobody finds the first without the last', async () => {
    for (const count of [2, 64, 64, 700]) {
      const { position } = subject.log.head;
      const frames = nextFrames(count);
      const files = logFiles(subject.path).length;
      const before = await transactions();
      await subject.log.append(...frames);
      await assertHolds(frames, position);
      // A new file begins with one for its table.
      const isNew = logFiles(subject.path).length > files;
      assert.equal((await transactions()) - (isNew ? 1 : before), 1, `${count} frames`);
    }
  });

  test('are refused when they do not follow each other, or none, and the log is as before', async () => {
    const { position } = subject.log.head;
    await subject.log.append();
    const [first = assert.fail(), , third = assert.fail()] = nextFrames(3);
    await assert.rejects(subject.log.append(first, third), /a frame from \d+ doesn't follow/);
    await assertHolds([], position);
  });

  test('without room none is written, and all are when there is room', {
    skip: whyNoSmallDisk() ?? false,
  }, async () => {
    const { position } = subject.log.head;
    // More than the pages that a file has to spare, of which some would fit.
    const frames = nextFrames(40, 100);
    subject.disk?.fill(64 * 1024);
    await assert.rejects(subject.log.append(...frames), JournalFullError);
    subject.disk?.free();
    await assertHolds([], position);
    await subject.log.append(...frames);
    await assertHolds(frames, position);
  });
});
