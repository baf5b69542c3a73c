/** A thread's handles to segments: one each, opened behind its gate, because opening is a write transaction. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLogReaders } from '../../src/persistence/journal/open-log.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { placed } from '../webhooks/outbox/shop-facts.ts';
import { JournalFolder } from './journal-folder.ts';

test('two readers of a segment open it once, proved before and inside the gate', async (t) => {
  const folder = await createTemporaryFolder('open-segments');
  const journal = await JournalFolder.open(folder.path);
  await journal.append([placed(1)], [placed(2)]);
  const steps: string[] = [];
  const gate = {
    pass: <Result>(open: () => Result): Result => {
      steps.push('gate');
      const result = open();
      steps.push('opened');
      return result;
    },
  };
  const open = openLogReaders(folder.path, () => steps.push('proved'), gate);
  const readers = [open(), open()];
  t.after(async () => {
    for (const reader of readers) await reader.close();
    await journal.close();
    await folder.remove();
  });
  for (const reader of readers) assert.equal([...reader.read(0)].length, 2);
  assert.deepEqual(steps, ['proved', 'gate', 'opened']);
});
