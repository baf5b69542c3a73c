/**
 * A run file that the system can't open or read now, for whatever reason, is like a damaged one to who asks for what lies
 * there: he is told which file and why, and asks again later with success. The reasons are made by failing calls of `node:fs`.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { DamagedFileError, RefusedFileError } from '../../../src/persistence/lmdb/damaged-file.ts';
import { createEnvironment, openEnvironment } from '../../../src/persistence/lmdb/lmdb-environment.ts';
import { compactionPart } from '../../../src/persistence/runs/compacting.ts';
import { Compaction } from '../../../src/persistence/runs/compaction.ts';
import { runFilesIn } from '../../../src/persistence/runs/run-list.ts';
import { RunSet } from '../../../src/persistence/runs/run-set.ts';
import { TieredTable } from '../../../src/persistence/runs/tiered-table.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const KEY = Buffer.from('key');

for (const { name, code, isOpenBefore } of [
  { name: 'openSync', code: 'EMFILE', isOpenBefore: false },
  { name: 'openSync', code: 'EIO', isOpenBefore: false },
  { name: 'readSync', code: 'EIO', isOpenBefore: false },
  { name: 'readSync', code: 'EIO', isOpenBefore: true },
] as const) {
  const when = isOpenBefore ? 'a file that is open' : 'one that is not open yet';
  test(`${name} fails with ${code} for ${when}`, async (context) => {
    const folder = await createTemporaryFolder('unreadable-run');
    const database = join(folder.path, 'rows.mdb');
    await createEnvironment(database, ['meta', 'rows']);
    const environment = openEnvironment(database);
    context.after(async () => {
      await environment.close();
      await folder.remove();
    });
    const open = () => {
      const runs = new RunSet(environment, environment.table('meta'), 'stock');
      return { runs, table: new TieredTable('rows', environment.table('rows'), runs) };
    };
    const written = open();
    written.table.putSync(KEY, Buffer.from('value'));
    const tables = { environment, meta: environment.table('meta'), kind: 'stock', tiered: [written.table] };
    const transact = (work: () => void) => environment.transactionSync(work);
    const compaction = new Compaction({ ...tables, runs: written.runs }, transact, { movedBytes: 1 });
    while (compaction.step());
    written.runs.close();
    const [file = ''] = runFilesIn(folder.path);

    const { runs, table } = open();
    if (isOpenBefore) runs.of('rows');
    failing(name, code, () => {
      for (const look of [() => table.get(KEY), () => table.read(KEY, String), () => [...table.getRange()]])
        assert.throws(
          look,
          (error) => error instanceof DamagedFileError && error.path === file && error.message.includes(code),
        );
    });
    assert.equal(table.get(KEY)?.toString(), 'value');
    runs.close();
  });
}

for (const name of ['openSync', 'readSync'] as const)
  test(`a merge for which ${name} fails is no damage: it is made another time`, async (context) => {
    const folder = await createTemporaryFolder('unreadable-run');
    const database = join(folder.path, 'rows.mdb');
    await createEnvironment(database, ['meta', 'rows']);
    const environment = openEnvironment(database);
    const meta = environment.table('meta');
    const runs = new RunSet(environment, meta, 'stock');
    const table = new TieredTable('rows', environment.table('rows'), runs);
    context.after(async () => {
      runs.close();
      await environment.close();
      await folder.remove();
    });
    const tables = { environment, meta, kind: 'stock', tiered: [table], runs };
    const compaction = new Compaction(tables, (work) => environment.transactionSync(work), { movedBytes: 1 });
    for (const run of ['0', '1', '2', '3']) {
      table.putSync(Buffer.from(run), Buffer.from('value'));
      assert.equal(compaction.step(), 'hurry');
    }
    const part = () => compactionPart(() => compaction.step());
    failing(name, 'EIO', () => {
      assert.throws(() => compaction.step(), RefusedFileError);
      const refused = part();
      assert.ok(typeof refused === 'object' && refused.isRefusal);
      assert.match(refused.damage, /EIO.*; it is tried again$/);
    });
    while (part() !== false);
    assert.equal(runFilesIn(folder.path).length, 1);
    assert.deepEqual(
      Array.from(table.getRange(), ({ key }) => key.toString()),
      ['0', '1', '2', '3'],
    );
  });

function failing(name: 'openSync' | 'readSync', code: string, work: () => void): void {
  const original = fs[name];
  const fails = (path: unknown, flags: unknown) => {
    // What is written is another matter.
    if (name === 'openSync' && flags !== 'r')
      return (original as typeof fs.openSync)(path as string, flags as string);
    throw Object.assign(new Error(`${code}: ${name}`), { code, ...(name === 'openSync' && { path }) });
  };
  Object.assign(fs, { [name]: fails });
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    Object.assign(fs, { [name]: original });
    syncBuiltinESMExports();
  }
}
