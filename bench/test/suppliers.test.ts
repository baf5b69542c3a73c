/** The suppliers benchmark as a whole, in miniature, against the real server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPurser } from '../../test/support/nodes/purser-process.ts';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { runSuppliers } from '../commands/suppliers.ts';
import { suppliersOptions } from '../commands/suppliers-options.ts';

test('a run has its figures, keeps so many in flight, and finds the books in order', async () => {
  const folder = await createTemporaryFolder('bench-suppliers');
  const printed: string[] = [];
  const progress: string[] = [];
  const options = {
    ...suppliersOptions({ inFlight: '40', rate: '200', rounds: '1' }),
    warmupMs: 50,
    measureMs: 300,
    answerMs: 250,
    settleMs: 100,
    customers: 20,
    suppliedAccounts: 50,
  };
  try {
    const isSound = await runSuppliers(options, {
      startNode: (dataDir) => startPurser({ dataDir }),
      folder: folder.path,
      print: (text) => printed.push(text),
      progress: (line) => progress.push(line),
    });
    assert.match(
      printed.join('\n'),
      /fsync on[\s\S]*none [\s\S]*40 in flight[\s\S]*check: every answer read/,
    );
    assert.equal(isSound, true, printed.join('\n'));
    const readings = progress
      .filter((line) => line.includes(' 40 in flight'))
      .flatMap((line) => /at the supplier (\d+), then (\d+)/.exec(line)?.slice(1).map(Number) ?? []);
    // After a moment in which the machine stood still, all may have been answered.
    assert.ok(Math.max(...readings) > 0 && Math.max(...readings) <= 40, progress.join('\n'));
  } finally {
    await folder.remove();
  }
});
