/** A copy of the folder of a node that runs is a sound folder, whatever the node does meanwhile. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { writeDurably } from '../../../src/persistence/disk/durable-file.ts';
import { keyFileOf } from '../../../src/persistence/disk/master-key.ts';
import { KEY_RING_FILE } from '../../../src/persistence/disk/ring-file.ts';
import { FILES_FOLDER } from '../../../src/persistence/files/files-folder.ts';
import { beginFolder } from '../../../src/persistence/folder/data-folder.ts';
import { FolderLoad } from '../../../src/persistence/folder/folder-load.ts';
import { FolderSnapshot } from '../../../src/persistence/folder/folder-snapshot.ts';
import { extentOf } from '../../../src/persistence/journal/journal-frame.ts';
import { isPackedSegment, logFiles, openLogReader } from '../../../src/persistence/journal/open-log.ts';
import { runFilesIn } from '../../../src/persistence/runs/run-list.ts';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { WriteGate } from '../../../src/threads/write-gate.ts';
import { eventually } from '../../support/eventually.ts';
import { randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { RandomShop } from './random-shop.ts';

const COPIES = 2;
const STEPS = 40;

test('a copy that is made while the node works is one sound folder', async () => {
  const random = randomFromEnvironment();
  const shop = await RandomShop.open(random);
  const place = await createTemporaryFolder('folder-snapshot');
  const from = shop.node.folder.path;
  try {
    await shop.live(STEPS);
    // Both are made behind the traffic, which a busy machine does later.
    await eventually('run files and packed segments', async () => {
      await shop.live(1);
      return runFilesIn(from).length > 0 && packedSegments(from).length > 0;
    });
    let runFiles = 0;
    let packed = 0;
    for (let copy = 0; copy < COPIES; copy += 1) {
      const to = join(place.path, String(copy));
      mkdirSync(to);
      const load = new FolderLoad(to);
      const living = shop.live(STEPS).then(() => shop.rush(STEPS));
      await delay(random.between(0, 200));
      const snapshot = await FolderSnapshot.take(from, new WriteGate());
      await living;
      await shop.live(1);
      // What has changed meanwhile is not in it.
      for (const part of snapshot.parts()) await load.part(part);
      await snapshot.close();
      assert.ok(snapshot.head.position < (await journalEnd(from)));
      cpSync(join(from, FILES_FOLDER), join(to, FILES_FOLDER), { recursive: true });
      writeDurably(join(to, KEY_RING_FILE), await load.finish());
      cpSync(keyFileOf(from), keyFileOf(to));
      await beginFolder(to);
      const said: string[] = [];
      assert.ok(await verifyDataFolder(to, (line) => said.push(line)), said.join('\n'));
      assert.ok(said.some((line) => line.startsWith(`journal: ${snapshot.head.position} facts`)));
      runFiles += runFilesIn(to).length;
      packed += packedSegments(to).length;
    }
    assert.ok(runFiles > 0, 'old rows come along');
    assert.ok(packed > 0, 'packed segments come along');
  } finally {
    await shop.node.close();
    await place.remove();
  }
});

function packedSegments(folder: string): readonly string[] {
  return logFiles(folder).filter(isPackedSegment);
}

async function journalEnd(folder: string): Promise<number> {
  const log = openLogReader(folder);
  try {
    let end = 0;
    for (const frame of log.read(0)) end = extentOf(frame).last;
    return end;
  } finally {
    await log.close();
  }
}
