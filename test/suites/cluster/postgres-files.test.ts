/** Files of products in PostgreSQL: whole, in parts that the quorum has, and whatever happens to a connection. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { PostgresFiles } from '../../../src/cluster/postgres/postgres-files.ts';
import { SCHEMA } from '../../../src/cluster/postgres/postgres-table.ts';
import { parseLogUrl } from '../../../src/cluster/postgres/postgres-url.ts';
import { patternBytes } from '../../support/pattern-bytes.ts';
import { PostgresRig, whyNoRig } from '../../support/postgres-rig.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const skip = (await whyNoRig()) ?? false;
const PART_BYTES = 256 * 1024;

describe('files in PostgreSQL', { skip }, () => {
  let rig: PostgresRig;
  let folder: TemporaryFolder;
  let files: PostgresFiles;

  before(async () => {
    rig = await PostgresRig.start();
    await rig.ask(0, SCHEMA);
    folder = await createTemporaryFolder('postgres-files');
    files = new PostgresFiles({ url: parseLogUrl(rig.url), password: undefined, node: 'a' });
  });
  after(async () => {
    await files?.close();
    await rig?.close();
    await folder?.remove();
  });

  const written = (name: string, bytes: Uint8Array) => {
    const path = join(folder.path, name);
    writeFileSync(path, bytes);
    return path;
  };
  const fetched = async (fileId: string) => {
    const path = join(folder.path, 'fetched');
    await files.fetch(fileId, path);
    return readFileSync(path);
  };

  for (const sizeBytes of [1, PART_BYTES - 1, PART_BYTES, 3 * PART_BYTES + 7]) {
    test(`one of ${sizeBytes} bytes is fetched as it was put, also twice`, async () => {
      const bytes = patternBytes(sizeBytes, 1);
      const path = written('put', bytes);
      for (let time = 0; time < 2; time += 1) {
        await files.put(`size-${sizeBytes}`, path);
        assert.ok((await fetched(`size-${sizeBytes}`)).equals(bytes));
      }
    });
  }

  test('one that is not there, or was removed, has no bytes and no name', async () => {
    await files.put('removed', written('put', patternBytes(PART_BYTES + 1, 1)));
    assert.ok((await files.names('', 100)).includes('removed'));
    await files.remove('removed');
    assert.equal((await fetched('removed')).length, 0);
    assert.equal((await files.names('', 100)).includes('removed'), false);
  });

  test('names come in pages', async () => {
    const path = written('put', patternBytes(10, 1));
    for (const name of ['z3', 'z1', 'z2']) await files.put(name, path);
    assert.deepEqual(await files.names('z', 2), ['z1', 'z2']);
    assert.deepEqual(await files.names('z2', 2), ['z3']);
  });

  test('one is put though connections are ended meanwhile', async () => {
    const bytes = patternBytes(12 * PART_BYTES, 1);
    const put = files.put('interrupted', written('put', bytes));
    for (let time = 0; time < 3; time += 1) {
      await rig.ask(
        0,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'purser%'",
      );
    }
    await put;
    assert.ok((await fetched('interrupted')).equals(bytes));
  });
});
