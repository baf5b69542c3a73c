/** Who used the processor, as the benchmark tells it, with real processes that do. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { readMachineTime } from '../../../bench/machine-time.ts';
import { processTree } from '../../../bench/process-tree.ts';

const busyMs = 300;
const skip = readMachineTime(process.pid) === undefined && 'this system does not tell';

/** Uses a processor for a while by itself, or by a child whose end it awaits, and then rests. */
function start(how: 'itself' | 'its child'): ChildProcess {
  const burn = `const end = Date.now() + ${busyMs}; while (Date.now() < end);`;
  const child = `require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(burn)}]);`;
  const work = how === 'itself' ? burn : child;
  return spawn(process.execPath, ['-e', `${work} console.log('done'); setInterval(() => {}, 1000);`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

for (const how of ['itself', 'its child'] as const) {
  test(`time that a process used by ${how} is the system's when it is the system, and others' when it isn't`, {
    skip,
  }, async () => {
    const process = start(how);
    try {
      const before = readMachineTime(globalThis.process.pid);
      await once(process.stdout ?? process, 'data');
      const pid = process.pid ?? -1;
      assert.deepEqual(processTree(pid), [pid]);
      const asSystem = readMachineTime(pid);
      const ofThisTree = readMachineTime(globalThis.process.pid);
      assert.ok(asSystem !== undefined && before !== undefined && ofThisTree !== undefined);
      assert.ok(asSystem.systemMs > 50, `the system used ${asSystem.systemMs} ms`);
      assert.ok(ofThisTree.systemMs - before.systemMs > 50, 'a descendant counts for its ancestor');
      const asOther = readMachineTime(-1);
      assert.ok(asOther !== undefined && asOther.systemMs === 0);
      assert.ok(asOther.othersMs - asSystem.othersMs > 50, 'and nobody counts it twice');
    } finally {
      process.kill('SIGKILL');
    }
  });
}
