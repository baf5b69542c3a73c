/** The runner spares the runner's hook (without-hooks.cjs), and still no error gets lost. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '../support/repository-root.ts';

const PRELOAD = join(repositoryRoot(), 'test', 'runner', 'without-hooks.cjs');

const FINE = `
  describe('a suite', () => {
    let order = '';
    before(() => { order += 'before '; });
    describe('in a suite', () => test('a test', async (t) => {
      await sleep(1);
      await t.test('in a test', () => { order += 'test'; });
    }));
    after(() => assert.equal(order, 'before test'));
  });`;

function run(tests: string) {
  const script = `
    import assert from 'node:assert/strict';
    import { after, before, describe, test } from 'node:test';
    import { setTimeout as sleep } from 'node:timers/promises';
    ${tests}`;
  const args = ['--require', PRELOAD, '--test-reporter=spec', '--input-type=module', '-e', script];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('suites, tests and their hooks find each other', () => {
  const { status, stdout } = run(FINE);
  assert.equal(status, 0, stdout);
  assert.match(stdout, /a suite\n {2}▶ in a suite\n {4}▶ a test\n {6}✔ in a test/);
});

for (const [title, lost] of [
  ['a rejection that nobody awaits', `Promise.reject(new Error('lost in a test'))`],
  ['an error in a timer', `setTimeout(() => { throw new Error('lost in a test'); }, 1)`],
]) {
  test(`${title} fails the process, and its stack is told`, () => {
    const { status, stderr } = run(`${FINE} test('loses it', async () => { ${lost}; await sleep(20); });`);
    assert.equal(status, 1);
    assert.match(stderr, /nobody caught: Error: lost in a test\n\s+at /);
  });
}
