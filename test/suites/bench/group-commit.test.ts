/** SQLite's group commit: one transaction for all that came together, and nobody fails with another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { GroupCommit } from '../../../bench/peers/group-commit.ts';

function emptyTable(): { database: DatabaseSyncInstance; rows: () => unknown[]; commits: GroupCommit } {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE written (name TEXT PRIMARY KEY) STRICT');
  const rows = () =>
    database
      .prepare('SELECT name FROM written ORDER BY name')
      .all()
      .map((row) => (row as { name: string }).name);
  return { database, rows, commits: new GroupCommit(database) };
}

test('writes of one turn share a transaction, and each gets its own result', async () => {
  const { database, rows } = emptyTable();
  let transactions = 0;
  const commits = new GroupCommit({
    get isTransaction() {
      return database.isTransaction;
    },
    exec: (sql) => {
      if (sql === 'COMMIT') transactions += 1;
      database.exec(sql);
    },
  });
  const write = (name: string) =>
    commits.run(() => database.prepare('INSERT INTO written VALUES (?)').run(name) && name);
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(write)), ['a', 'b', 'c']);
  assert.equal(transactions, 1);
  await write('d');
  assert.equal(transactions, 2);
  assert.deepEqual(rows(), ['a', 'b', 'c', 'd']);
  database.close();
});

test('a write that fails leaves nothing, and the others of its group are written', async () => {
  const { database, rows, commits } = emptyTable();
  const insert = (name: string) => database.prepare('INSERT INTO written VALUES (?)').run(name);
  const results = await Promise.allSettled([
    commits.run(() => insert('before')),
    commits.run(() => {
      insert('half');
      throw new Error('no more');
    }),
    commits.run(() => insert('after')),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(rows(), ['after', 'before']);
  database.close();
});
