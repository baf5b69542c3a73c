/** The contract of the log's port, held by the embedded log, packed or not, the simulated one, and a leader's. */
import assert from 'node:assert/strict';
import { JournalFullError } from '../../src/engine/journal.ts';
import type { FrameLog, LogReader } from '../../src/persistence/journal/frame-log.ts';
import { JournalPacking } from '../../src/persistence/journal/journal-packing.ts';
import {
  createLog,
  isPackedSegment,
  logFiles,
  openLog,
  openLogReader,
} from '../../src/persistence/journal/open-log.ts';
import { simulatedSharedLog } from '../cluster/shared-log.ts';
import { SimulatedLog } from '../simulation/simulated-log.ts';
import { mountSmallDisk, type SmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { LeadersLog, type LogUnderTest, SMALL_SEGMENTS, testFrameLog } from './frame-log-contract.ts';

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

testFrameLog('embedded', async () => new EmbeddedLog(await emptyPlace()));
testFrameLog('embedded, packed', async () => new PackedLog(await emptyPlace()));
testFrameLog('simulated', async () => new InMemoryLog());
testFrameLog("leader's", async () => LeadersLog.open(await simulatedSharedLog()));
