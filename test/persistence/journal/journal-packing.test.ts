/**
 * Full segments of the journal are packed part by part: whatever is interrupted or damaged meanwhile, the log has
 * the frames that were appended, and no others.
 */
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { ByteWriter } from '../../../src/persistence/codec/byte-writer.ts';
import { checkSegment } from '../../../src/persistence/folder/folder-check.ts';
import { inView } from '../../../src/persistence/folder/folder-view.ts';
import { encodeFrame } from '../../../src/persistence/journal/journal-frame.ts';
import { JournalPacking } from '../../../src/persistence/journal/journal-packing.ts';
import {
  createLog,
  isPackedSegment,
  logFiles,
  openLog,
  openLogReader,
  openLogReaders,
} from '../../../src/persistence/journal/open-log.ts';
import { DamagedFileError } from '../../../src/persistence/lmdb/damaged-file.ts';
import { randomFromEnvironment } from '../../support/random.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { placed } from '../../webhooks/outbox/shop-facts.ts';
import { assertSame } from './frame-log-contract.ts';

const random = randomFromEnvironment();
const SEGMENT_BYTES = 16 * 1024;
const STEP_BYTES = 4 * 1024;

/** A folder whose log has several segments, all but the newest full; its frames. */
async function writtenLog(context: TestContext) {
  const temporary = await createTemporaryFolder('journal-packing');
  context.after(() => temporary.remove());
  const folder = join(temporary.path, 'log');
  mkdirSync(folder);
  return { folder, ...(await writeLog(folder)) };
}

async function writeLog(folder: string) {
  await createLog(folder);
  const log = openLog(folder, { segmentBytes: SEGMENT_BYTES });
  const scratch = new ByteWriter();
  const frames: Buffer[] = [];
  while (logFiles(folder).length < 5) {
    const { position, hash } = log.head;
    const facts = Array.from({ length: random.between(1, 12) }, (_, at) => placed(position + 1 + at));
    const frame = encodeFrame(scratch, position + 1, facts, hash);
    await log.append(frame);
    frames.push(frame);
  }
  const end = log.head.position;
  await log.close();
  return { frames, end };
}

function packingOf(folder: string): JournalPacking {
  return new JournalPacking(folder, openLogReaders(folder, checkSegment), STEP_BYTES);
}

function packAll(folder: string, folded: number): void {
  const packing = packingOf(folder);
  while (packing.step(folded) !== false);
}

async function framesOf(folder: string): Promise<Buffer[]> {
  const reader = openLogReader(folder);
  try {
    return Array.from(reader.read(0), (frame) => Buffer.from(frame));
  } finally {
    await reader.close();
  }
}

describe(`the journal is packed (seed ${random.seed})`, () => {
  test('all but its newest segment; what they were made of goes', async (context) => {
    const { folder, frames, end } = await writtenLog(context);
    const before = logFiles(folder);
    packAll(folder, 0);
    assert.equal(logFiles(folder).some(isPackedSegment), false, 'only what is folded');
    const packing = packingOf(folder);
    while (packing.step(end) !== false) assertSame(await framesOf(folder), frames);
    const packed = logFiles(folder).filter(isPackedSegment);
    assert.equal(packed.length, before.length - 1);
    const names = readdirSync(folder).filter((name) => name.endsWith('.mdb'));
    assert.deepEqual(names, [basename(before.at(-1) ?? '')]);
    for (const file of logFiles(folder)) checkSegment(file);
  });

  test('beside a packed segment that is damaged, what it was made of stays', async (context) => {
    const { folder, end } = await writtenLog(context);
    const [first = ''] = logFiles(folder);
    const made = readFileSync(first);
    packAll(folder, end);
    const [packed = ''] = logFiles(folder);
    const sound = readFileSync(packed);
    for (const isDamaged of [true, false]) {
      const bytes = Buffer.from(sound);
      if (isDamaged) bytes[100] = (bytes[100] ?? 0) ^ 1;
      writeFileSync(packed, bytes);
      writeFileSync(first, made);
      packAll(folder, end);
      assert.equal(existsSync(first), isDamaged);
    }
  });

  test('wherever it is interrupted, the next one makes it whole', async (context) => {
    const { folder, frames, end } = await writtenLog(context);
    for (let round = 0; round < 6; round += 1) {
      const packing = packingOf(folder);
      for (let steps = random.between(0, 5); steps > 0; steps -= 1) packing.step(end);
      const copy = `${folder}-${round}`;
      cpSync(folder, copy, { recursive: true });
      packAll(copy, end);
      assertSame(await framesOf(copy), frames);
    }
  });

  test('a view that was made before is read to its end', async (context) => {
    const { folder, frames, end } = await writtenLog(context);
    await inView(folder, async (view) => {
      const reader = openLogReaders(view, checkSegment)();
      const read: Buffer[] = [];
      for (const frame of reader.read(0)) {
        read.push(Buffer.from(frame));
        if (read.length === 3) packAll(folder, end);
      }
      await reader.close();
      assertSame(read, frames);
    });
  });

  test('a segment that is damaged stays, and is told of once; the others are packed', async (context) => {
    const { folder, end } = await writtenLog(context);
    const [, second = ''] = logFiles(folder);
    truncateSync(second, statSync(second).size / 2);
    const packing = packingOf(folder);
    const told: unknown[] = [];
    for (let isLeft = true; isLeft; ) {
      try {
        isLeft = packing.step(end) !== false;
      } catch (error) {
        told.push(error);
      }
    }
    assert.equal(told.length, 1);
    const [error] = told;
    assert.ok(error instanceof DamagedFileError && error.message.includes(basename(second)), String(error));
    const left = logFiles(folder).filter((file) => !isPackedSegment(file));
    assert.deepEqual([left.length, left[0]], [2, second]);
  });

  test('on a disk that is full it waits, and goes on when there is room', {
    skip: whyNoSmallDisk() ?? false,
  }, async () => {
    const temporary = await createTemporaryFolder('journal-packing');
    const disk = mountSmallDisk(temporary.path, 16);
    const { frames, end } = await writeLog(disk.path);
    const packing = packingOf(disk.path);
    disk.fill();
    assert.equal(packing.step(end), false);
    disk.free();
    packing.step(end);
    disk.fill();
    while (packing.step(end) !== false);
    assertSame(await framesOf(disk.path), frames);
    disk.free();
    while (packing.step(end) !== false);
    assert.equal(logFiles(disk.path).filter((file) => !isPackedSegment(file)).length, 1);
    assertSame(await framesOf(disk.path), frames);
    disk.unmount();
    await temporary.remove();
  });

  test('a byte of a packed segment that has changed is told by its name, or read as it was', async (context) => {
    const { folder, frames, end } = await writtenLog(context);
    packAll(folder, end);
    for (const file of logFiles(folder).filter(isPackedSegment)) {
      const sound = readFileSync(file);
      for (let flip = 0; flip < 10; flip += 1) {
        const damaged = Buffer.from(sound);
        const place = random.between(0, sound.length - 1);
        damaged[place] = (damaged[place] ?? 0) ^ random.between(1, 255);
        writeFileSync(file, damaged);
        assert.throws(() => checkSegment(file), new RegExp(basename(file)), `byte ${place}`);
        await framesOf(folder).then(
          (read) => assertSame(read, frames),
          (error: unknown) => assert.match(String(error), new RegExp(basename(file))),
        );
      }
      writeFileSync(file, sound);
    }
  });
});
