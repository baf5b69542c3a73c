/** A data folder that another version wrote is refused by everybody in one line that says what to do, and is not changed. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { folder as folderCheck } from '../../../src/doctor/checks/folder.ts';
import { FORMAT_FILE } from '../../../src/persistence/folder/folder-format.ts';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { WrittenFolder } from '../../backup/written-folder.ts';
import { startInProcess } from '../../support/nodes/node-in-process.ts';

const REFUSAL =
  /^the data folder .* has format ".*", and this version of Purser reads "purser data folder, version 1": use the version that wrote it, or restore a backup into another folder$/;

describe('a data folder of another format', () => {
  let folder: WrittenFolder;

  before(async () => {
    folder = await WrittenFolder.create('format');
    await folder.addStock(3);
    await folder.close();
  });
  after(() => folder.remove());

  for (const format of ['purser data folder, version 2\n', 'purser data folder, version 1', '']) {
    it(`${JSON.stringify(format)} is refused by a start, by verify and by doctor, and stays as it is`, async () => {
      writeFileSync(join(folder.path, FORMAT_FILE), format);
      const was = contentOf(folder.path);
      await assert.rejects(startInProcess({ data: folder.path }), { message: REFUSAL });
      const lines: string[] = [];
      assert.equal(await verifyDataFolder(folder.path, (line) => lines.push(line)), false);
      assert.deepEqual([lines.length, REFUSAL.test((lines[0] ?? '').replace('ERROR: ', ''))], [1, true]);
      const found = await folderCheck({
        config: { dataDir: folder.path },
        nearestFolder: folder.path,
        isThere: true,
        isBegun: true,
      } as never);
      assert.equal(found.state, 'failed');
      assert.match(found.advice, REFUSAL);
      assert.deepEqual(contentOf(folder.path), was);
    });
  }
});

function contentOf(folder: string): Map<string, Buffer> {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(files.map(({ name }) => [name, readFileSync(join(folder, name))]));
}
