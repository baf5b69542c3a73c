/**
 * The contract of the log's port (`frame-log.ts`): what every log must hold, wherever its frames are. `frame-log.test.ts`
 * runs it.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ReplicatedLog } from '../../../src/cluster/replicated-log.ts';
import { JournalFullError } from '../../../src/engine/loop/journal.ts';
import { ByteWriter } from '../../../src/persistence/codec/byte-writer.ts';
import { FrameChain } from '../../../src/persistence/journal/frame-chain.ts';
import { type FrameLog, GENESIS, type LogReader } from '../../../src/persistence/journal/frame-log.ts';
import { encodeFrame, extentOf } from '../../../src/persistence/journal/journal-frame.ts';
import { createLog, openLog, openLogReader } from '../../../src/persistence/journal/open-log.ts';
import type { SharedLogUnderTest } from '../../cluster/shared-log.ts';
import { randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { placed } from '../../webhooks/outbox/shop-facts.ts';

export const SMALL_SEGMENTS = { segmentBytes: 24 * 1024 };

/** A log, and what happens around it. */
export interface LogUnderTest {
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

/** The folder of the node that leads a cluster; its shared log is simulated. */
export class LeadersLog implements LogUnderTest {
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

/** Frame by frame the same bytes; node's comparison of lists of buffers takes ten times as long. */
export function assertSame(found: readonly Buffer[], expected: readonly Buffer[], what = ''): void {
  assert.equal(found.length, expected.length, what);
  for (const [index, frame] of found.entries())
    assert.ok(frame.equals(expected[index] ?? GENESIS.hash), `frame ${index} ${what}`);
}

const random = randomFromEnvironment();

export function testFrameLog(
  name: string,
  open: () => Promise<LogUnderTest>,
  skip: string | false = false,
): void {
  describe(`the ${name} log (seed ${random.seed})`, { skip }, () => {
    const scratch = new ByteWriter();
    /** The frames appended so far. */
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
      assertSame(bytes(reader, 0), expected);
      await reader.close();
      assertSame(bytes(subject.log, 0), expected);
    }

    test('begins empty, and gives back the bytes that were appended, in one chain that ends at its head', async () => {
      assert.deepEqual(subject.log.head, GENESIS);
      await assertHolds([]);
      for (let count = 0; count < 40; count += 1) await append();
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
        ...Array.from({ length: 20 }, () => random.between(0, end)),
      ]) {
        const expected = frames.filter((frame) => extentOf(frame).last > position);
        assertSame(bytes(reader, position), expected, `from ${position}`);
      }
      await reader.close();
    });

    test('shows readers whole frames only, and all that have been appended', async () => {
      for (let round = 0; round < 6; round += 1) {
        const frame = nextFrame(200);
        const reader = subject.reader();
        const appended = subject.append(frame);
        const seen = bytes(reader, 0);
        assertSame(seen, [...frames, frame].slice(0, seen.length));
        assert.ok(seen.length >= frames.length);
        await appended;
        frames.push(frame);
        assertSame(bytes(reader, 0), frames);
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
      for (let round = 0; round < 2; round += 1) {
        const { head } = subject.log;
        // More than the pages that a file has to spare.
        const frame = nextFrame(700);
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
