/** What the benchmarks' command line takes, and what it refuses before anything is started. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runAlternate } from '../../../bench/alternate.ts';
import { BadFlagError, type ContentionFlags, contentionOptions } from '../../../bench/contention-options.ts';
import { webhookOptions } from '../../../bench/webhooks/webhook-options.ts';

const refused: readonly (readonly [flags: ContentionFlags, says: RegExp])[] = [
  [{ connections: '64,0' }, /^--connections takes whole numbers from 1 to 16384, not "0"$/],
  [{ systems: 'floor,ceiling' }, /^--systems floor,ceiling names nobody that sells/],
  [{ systems: 'purser,mysql' }, /^there is no system "mysql"; there are purser, /],
  [{ break: 'purser' }, /^--break takes one of postgres-statements, .*, not "purser"$/],
  [{ break: 'sqlite', systems: 'purser' }, /^--break sqlite needs sqlite among the --systems$/],
  [{ scenario: 'flood', systems: 'sqlite' }, /^--scenario flood needs purser among the --systems$/],
];

for (const [flags, says] of refused) {
  test(`${JSON.stringify(flags)} is refused`, () => {
    assert.throws(() => contentionOptions(flags), isBadFlag(says));
  });
}

test('what is named twice is measured once, and what only Purser runs starts no peers', () => {
  const { connections, systems } = contentionOptions({ connections: '256,64,256', systems: 'sqlite,sqlite' });
  assert.deepEqual([connections, systems], [[256, 64], ['sqlite']]);
  assert.deepEqual(contentionOptions({ scenario: 'flood,history' }).systems, ['purser']);
});

test("flags of the webhooks' benchmark that make no sense are refused", () => {
  assert.throws(() => webhookOptions({ scenario: 'nothing' }), /there is no scenario "nothing"/);
  assert.throws(() => webhookOptions({ dead: 'silent,gone' }), /--dead takes refusing, silent, failing/);
  assert.throws(() => webhookOptions({ rate: 'fast' }), /--rate takes whole numbers/);
});

test('alternate looks at all nodes and at the folder of the report before it starts one', async () => {
  const environment = {
    start: () => assert.fail('a node was started'),
    folder: 'unused',
    print: () => undefined,
  };
  await assert.rejects(runAlternate({ nodes: 'uws,bun' }, environment), isBadFlag(/^--nodes are uws, node,/));
  await assert.rejects(
    runAlternate({ nodes: 'uws,nowhere:uws' }, environment),
    isBadFlag(/^--nodes nowhere:uws: there is no .*purser\.cjs$/),
  );
  await assert.rejects(
    runAlternate({ report: import.meta.filename }, environment),
    isBadFlag(/^the report can't be written to .* \(EEXIST\)/),
  );
});

test('a wrong command line ends with 2: 1 is for what is slower', () => {
  const program = fileURLToPath(
    new URL(`../../../bench/main${import.meta.filename.slice(-3)}`, import.meta.url),
  );
  const { status, stderr } = spawnSync(process.execPath, [program, 'compare', 'a.json'], {
    encoding: 'utf8',
  });
  assert.equal(stderr, "error: missing required argument 'B.json'\n");
  assert.equal(status, 2);
});

function isBadFlag(says: RegExp) {
  return (error: unknown) => error instanceof BadFlagError && says.test(error.message);
}
