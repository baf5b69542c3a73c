/** Who used the processor, as the benchmark tells it, with a real process that did. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { readMachineTime } from '../../../bench/machine-time.ts';
import { processTree } from '../../../bench/process-tree.ts';

const skip = readMachineTime(process.pid) === undefined && 'this system does not tell';

test("time that a process's child used is the system's when it is the system, and others' when it isn't", {
  skip,
}, async () => {
  const burn = 'const end = Date.now() + 300; while (Date.now() < end);';
  const work = `require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(burn)}]);`;
  const code = `${work} console.log('done'); setInterval(() => {}, 1000);`;
  const busy = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const before = readMachineTime(process.pid);
    await once(busy.stdout, 'data');
    const pid = busy.pid ?? -1;
    assert.deepEqual(processTree(pid), [pid]);
    const [asSystem, ofThisTree, asOther] = [pid, process.pid, -1].map((each) => readMachineTime(each));
    assert.ok(before && asSystem && ofThisTree && asOther);
    assert.ok(asSystem.systemMs > 50, `the system used ${asSystem.systemMs} ms`);
    assert.ok(ofThisTree.systemMs - before.systemMs > 50, 'a descendant counts for its ancestor');
    assert.equal(asOther.systemMs, 0);
    assert.ok(asOther.othersMs - asSystem.othersMs > 50, 'and nobody counts it twice');
  } finally {
    busy.kill('SIGKILL');
  }
});
