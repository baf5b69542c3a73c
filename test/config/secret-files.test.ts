/** Secrets in files: containers hand them over so. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { withSecretFiles } from '../../src/config/secret-files.ts';
import { purser, temporaryFolder } from '../cli/fake-operator.ts';

function fileWith(context: TestContext, text: string): string {
  const file = join(temporaryFolder(context), 'secret');
  writeFileSync(file, text);
  return file;
}

describe('a secret in a file', () => {
  it('is found under its own name, without white space', (context) => {
    const env = { PURSER_OPERATOR_TOKEN_FILE: fileWith(context, 'a-token\n'), PURSER_MASTER_KEY_FILE: '' };
    assert.deepEqual(withSecretFiles(env), { ...env, PURSER_OPERATOR_TOKEN: 'a-token' });
  });

  const wrong: readonly (readonly [
    what: string,
    env: (context: TestContext) => Record<string, string>,
    told: RegExp,
  ])[] = [
    [
      'is refused beside its variable',
      (context) => ({ PURSER_MASTER_KEY: 'k', PURSER_MASTER_KEY_FILE: fileWith(context, 'k') }),
      /PURSER_MASTER_KEY and PURSER_MASTER_KEY_FILE: both are set/,
    ],
    [
      'is refused when the file is not there',
      () => ({ PURSER_ALERT_SECRET_FILE: '/not/there' }),
      /PURSER_ALERT_SECRET_FILE: "\/not\/there" cannot be read \(ENOENT\)/,
    ],
    [
      'is refused when the file is empty',
      (context) => ({ PURSER_OPERATOR_TOKEN_FILE: fileWith(context, '\n') }),
      /is empty; expected a secret/,
    ],
  ];
  for (const [what, env, told] of wrong)
    it(`${what}, by any command that may need it and with exit code 2`, async (context) => {
      const { exitCode, stderr } = await purser(['product', 'list'], { env: env(context) });
      assert.equal(exitCode, 2);
      assert.match(stderr, told);
    });

  it('is not read by a command that only tells of itself', async () => {
    for (const line of ['serve --help', '--version'])
      assert.equal(
        (await purser(line.split(' '), { env: { PURSER_MASTER_KEY_FILE: '/not/there' } })).exitCode,
        0,
      );
  });
});
