/** The client for Go: the table of cases, by a driver that is built with it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DRIVERS, DriverProcess, GO } from './driver-process.ts';
import { tableOf } from './table-of.ts';

tableOf(GO, (folder) => {
  const program = join(folder, 'driver');
  const env = { ...process.env, GOTOOLCHAIN: 'local' };
  const options = { cwd: join(DRIVERS, 'go'), env, encoding: 'utf8' } as const;
  for (const args of [
    ['vet', 'purser', '.'],
    ['build', '-o', program, '.'],
  ]) {
    const { status, stderr } = spawnSync('go', args, options);
    assert.equal(status, 0, stderr);
  }
  return new DriverProcess(program, []);
});
