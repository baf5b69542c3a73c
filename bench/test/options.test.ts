/** Refusals of the benchmarks' command line before anything is started. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BadFlagError, type ContentionFlags, contentionOptions } from '../commands/contention-options.ts';

const refused: readonly (readonly [flags: ContentionFlags, says: RegExp])[] = [
  [{ connections: '64,0' }, /^--connections takes whole numbers from 1 to 16384, not "0"$/],
  [{ systems: 'floor,ceiling' }, /^--systems floor,ceiling names nobody that sells/],
  [{ break: 'purser' }, /^--break takes one of postgres-statements, .*, not "purser"$/],
  [{ break: 'sqlite', systems: 'purser' }, /^--break sqlite needs sqlite among the --systems$/],
  [{ scenario: 'flood', systems: 'sqlite' }, /^--scenario flood needs purser among the --systems$/],
];

test('flags that make no sense are refused before anything is started', () => {
  for (const [flags, says] of refused) {
    const isBadFlag = (error: unknown) => error instanceof BadFlagError && says.test(error.message);
    assert.throws(() => contentionOptions(flags), isBadFlag);
  }
});

test('a wrong command line ends with 2: 1 is for what is slower', () => {
  const program = fileURLToPath(new URL(`../main${import.meta.filename.slice(-3)}`, import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [program, 'compare', 'a.json'], {
    encoding: 'utf8',
  });
  assert.equal(stderr, "error: missing required argument 'B.json'\n");
  assert.equal(status, 2);
});
