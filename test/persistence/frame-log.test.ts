/** The contract of the log's port (`frame-log.ts`), held by every log that there is: the embedded one, the simulated one. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ReplicatedLog } from '../../src/cluster/replicated-log.ts';
import { JournalFullError } from '../../src/engine/journal.ts';
import { ByteWriter } from '../../src/persistence/codec/byte-writer.ts';
import { FrameChain } from '../../src/persistence/journal/frame-chain.ts';
import { type FrameLog, GENESIS, type LogReader } from '../../src/persistence/journal/frame-log.ts';
import { encodeFrame, extentOf } from '../../src/persistence/journal/journal-frame.ts';
import { JournalPacking } from '../../src/persistence/journal/journal-packing.ts';
import {
  createLog,
  isPackedSegment,
  logFiles,
  openLog,
  openLogReader,
} from '../../src/persistence/journal/open-log.ts';
import { postgresSharedLog, type SharedLogUnderTest, simulatedSharedLog } from '../cluster/shared-log.ts';
import { SimulatedLog } from '../simulation/simulated-log.ts';
import { whyNoRig } from '../support/postgres-rig.ts';
import { isLongRun, randomFromEnvironment } from '../support/random.ts';
import { mountSmallDisk, type SmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { placed } from '../webhooks/outbox/shop-facts.ts';

/** A log, and what happens around it. */
interface LogUnderTest {
  log: FrameLog;
  /** Another one who reads, as another thread does. */
  reader(): LogReader;
  /** Appends, and waits until the frame is durable. */
  append(frame: Buffer): Promise<void>;
  /** The process ends and starts again. */
  reopen(): Promise<void>;
  /** Appends while there is no room. */
  appendWithoutRoom(frame: Buffer): Promise<void>;
  close(): Promise<void>;
}

interface Place {
  readonly folder: TemporaryFolder;
  readonly disk: SmallDisk | undefined;
}

/** On a disk of its own where there can be one: elsewhere nothing is shown of a full disk. */
async function emptyPlace(): Promise<Place> {
  const folder = await createTemporaryFolder('frame-log');
  const disk = whyNoSmallDisk() === undefined ? mountSmallDisk(folder.path, 4) : undefined;
  await createLog(disk?.path ?? folder.path);
  return { folder, disk };
}

class EmbeddedLog implements LogUnderTest {
  log: FrameLog;
  readonly #folder: TemporaryFolder;
  readonly #disk: SmallDisk | undefined;
  protected readonly path: string;

  constructor({ folder, disk }: Place) {
    this.#folder = folder;
    this.#disk = disk;
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
    if (this.#disk === undefined) throw new JournalFullError();
    this.#disk.fill();
    try {
      await this.log.append(frame);
    } finally {
      this.#disk.free();
    }
  }

  async close(): Promise<void> {
    assert.ok(logFiles(this.path).length > 3, 'frames lie in several segments');
    await this.log.close();
    this.#disk?.unmount();
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

/** The folder of the node that leads a cluster; its shared log is simulated, or PostgreSQL's. */
class LeadersLog implements LogUnderTest {
  log: ReplicatedLog;
  readonly #folder: TemporaryFolder;
  readonly #shared: SharedLogUnderTest;

  private constructor(folder: TemporaryFolder, shared: SharedLogUnderTest) {
    this.#folder = folder;
    this.#shared = shared;
    this.log = this.#open();
  }

  static async open(shared: SharedLogUnderTest): Promise<LeadersLog> {
    const folder = await createTemporaryFolder('leaders-log');
    await createLog(folder.path);
    return new LeadersLog(folder, shared);
  }

  reader(): LogReader {
    return openLogReader(this.#folder.path);
  }

  async append(frame: Buffer): Promise<void> {
    await this.log.append(frame);
    await this.log.mirrored();
  }

  async reopen(): Promise<void> {
    await this.log.close();
    this.log = this.#open();
  }

  appendWithoutRoom(frame: Buffer): Promise<void> {
    return this.#shared.withoutRoom(() => this.log.append(frame));
  }

  async close(): Promise<void> {
    await this.log.close();
    await this.#shared.close();
    await this.#folder.remove();
  }

  #open(): ReplicatedLog {
    const fail = (error: unknown) => {
      throw error;
    };
    const local = openLog(this.#folder.path, SMALL_SEGMENTS);
    return new ReplicatedLog({ writer: this.#shared.writer, local, onMirrored: () => {}, onFatal: fail });
  }
}

const SMALL_SEGMENTS = { segmentBytes: 24 * 1024 };
const LOGS: readonly [name: string, open: () => Promise<LogUnderTest>][] = [
  ['embedded', async () => new EmbeddedLog(await emptyPlace())],
  ['embedded, packed', async () => new PackedLog(await emptyPlace())],
  ['simulated', async () => new InMemoryLog()],
  ["leader's", async () => LeadersLog.open(await simulatedSharedLog())],
  ["leader's, on PostgreSQL,", async () => LeadersLog.open(await postgresSharedLog())],
];
const noRig = await whyNoRig();

const random = randomFromEnvironment();

for (const [name, open] of LOGS) {
  const skip = name.includes('PostgreSQL') && noRig;
  describe(`the ${name} log (seed ${random.seed})`, { skip: skip || false }, () => {
    const scratch = new ByteWriter();
    /** What was appended so far. */
    const frames: Buffer[] = [];
    let subject: LogUnderTest;

    before(async () => {
      subject = await open();
    });
    after(() => subject.close());

    function nextFrame(count = random.between(1, 20)): Buffer {
      const { position, hash } = subject.log.head;
      const facts = Array.from({ length: count }, (_, index) => placed(position + 1 + index));
      return encodeFrame(scratch, position + 1, facts, hash);
    }

    async function append(): Promise<void> {
      const frame = nextFrame();
      await subject.append(frame);
      frames.push(frame);
    }

    function bytes(reader: LogReader, position: number): Buffer[] {
      return Array.from(reader.read(position), (frame) => Buffer.from(frame));
    }

    async function assertHolds(expected: readonly Buffer[]): Promise<void> {
      const reader = subject.reader();
      assert.deepEqual(bytes(reader, 0), expected);
      await reader.close();
      assert.deepEqual(bytes(subject.log, 0), expected);
    }

    test('begins empty', async () => {
      assert.deepEqual(subject.log.head, GENESIS);
      await assertHolds([]);
    });

    test('gives back the bytes that were appended, in one chain that ends at its head', async () => {
      for (let count = 0; count < 60; count += 1) await append();
      await assertHolds(frames);
      const chain = new FrameChain(GENESIS);
      for (const frame of subject.log.read(0)) chain.add(frame);
      assert.deepEqual(chain.head, subject.log.head);
    });

    test('reads from any position: from the frame that holds the next fact', async () => {
      const reader = subject.reader();
      const end = subject.log.head.position;
      for (const position of [
        0,
        1,
        end - 1,
        end,
        ...Array.from({ length: 40 }, () => random.between(0, end)),
      ]) {
        const expected = frames.filter((frame) => extentOf(frame).last > position);
        assert.deepEqual(bytes(reader, position), expected, `from ${position}`);
      }
      await reader.close();
    });

    test('shows a reader that is at the end what comes later', async () => {
      const reader = subject.reader();
      for (let round = 0; round < 10; round += 1) {
        const { position } = subject.log.head;
        assert.deepEqual(bytes(reader, position), []);
        await append();
        assert.deepEqual(bytes(reader, position), frames.slice(-1));
      }
      await reader.close();
    });

    test('shows readers whole frames only, and all that have been appended', async () => {
      for (let round = 0; round < 20; round += 1) {
        const frame = nextFrame(200);
        const reader = subject.reader();
        const appended = subject.append(frame);
        const seen = bytes(reader, 0);
        assert.deepEqual(seen, [...frames, frame].slice(0, seen.length));
        assert.ok(seen.length >= frames.length);
        await appended;
        frames.push(frame);
        assert.deepEqual(bytes(reader, 0), frames);
        await reader.close();
      }
    });

    test('refuses a frame that does not follow its head, and is as before', async () => {
      const { head } = subject.log;
      const facts = [placed(1)];
      for (const first of [head.position, head.position + 2]) {
        await assert.rejects(subject.log.append(encodeFrame(scratch, first, facts, head.hash)), /follow/);
      }
      assert.deepEqual(subject.log.head, head);
      await append();
      await assertHolds(frames);
    });

    test('opened again, it ends where it ended, and goes on', async () => {
      for (let round = 0; round < 3; round += 1) {
        const { head } = subject.log;
        await subject.reopen();
        assert.deepEqual(subject.log.head, head);
        await append();
        await assertHolds(frames);
      }
    });

    test('without room it takes nothing of a frame, and takes it when there is room', async () => {
      for (let round = 0; round < (isLongRun() ? 5 : 3); round += 1) {
        const { head } = subject.log;
        // More than the pages that a file has to spare.
        const frame = nextFrame(1_000);
        await assert.rejects(subject.appendWithoutRoom(frame), JournalFullError);
        assert.deepEqual(subject.log.head, head);
        await assertHolds(frames);
        await subject.append(frame);
        frames.push(frame);
        await assertHolds(frames);
      }
    });
  });
}
