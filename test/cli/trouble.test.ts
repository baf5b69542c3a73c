/** The line of a command when the node refuses, can't be found or isn't one. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext, test } from 'node:test';
import { lockStateFolder } from '../../src/persistence/folder/state-folder.ts';
import { listen, operatorForTests, purser, TOKEN, temporaryFolder } from './fake-operator.ts';

/** The one line on standard error of a command that failed. */
async function failure(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const outcome = await purser(args, { env });
  assert.equal(outcome.exitCode, 1, outcome.stderr);
  assert.equal(outcome.stdout, '');
  assert.match(outcome.stderr, /^[^\n]+\n$/);
  return outcome.stderr.trimEnd();
}

describe('a refusal of the server', () => {
  const { operator, call } = operatorForTests();

  it('is on standard output as well with --json, as one line', async () => {
    const body = { success: false, error: 'NOT_FOUND', message: 'no such\naccount', requestId: 'req_9' };
    operator.answer = { status: 404, body };
    for (const command of ['account show 1', 'feed', 'statement 1', 'webhook test 1'])
      assert.deepEqual(await call(`${command} --json`), {
        exitCode: 1,
        stdout: `${JSON.stringify(body)}\n`,
        stderr: 'error NOT_FOUND: no such\\naccount (requestId req_9)\n',
      });
  });

  it("is told from a stranger's answer", async () => {
    for (const [status, body] of [
      [200, '<html>hello</html>'],
      [200, []],
      [302, ''],
      [500, { success: true }],
      [404, { error: 'not the envelope' }],
    ] as const) {
      operator.answer = { status, body };
      const line = await failure(['status'], operator.env);
      assert.match(line, new RegExp(`answered ${status} with a body that is not from the operator API`));
    }
  });
});

describe('a node that does not answer', () => {
  it('is said to refuse connections, with what to do', async () => {
    const line = await failure(['status', '--operator', 'http://127.0.0.1:1', '--token', TOKEN], {});
    assert.match(line, /cannot reach http:\/\/127\.0\.0\.1:\d+\/operator\/v1: connection refused/);
    assert.match(line, /purser serve/);
  });

  it('and breaks the connection leaves a change uncertain, and nothing else', async () => {
    for (const [line, isUncertain] of [
      ['status', false],
      ['wallet credit 1 5 --reference r', true],
    ] as const) {
      const { url, close } = await listen((socket) => socket.once('data', () => socket.destroy()));
      const said = await failure([...line.split(' '), '--operator', url, '--token', TOKEN], {});
      close();
      assert.match(said, /the connection broke/);
      assert.equal(/it is unknown whether the change was made/.test(said), isUncertain);
    }
  });
});

describe('the node is found', () => {
  const { operator } = operatorForTests();
  const NOWHERE = 'http://127.0.0.1:1';

  /** A data folder as a running server leaves it. */
  function dataFolder(context: TestContext, url: string, token?: string): string {
    const folder = temporaryFolder(context);
    writeFileSync(join(folder, 'operator-address'), `${url}\n`);
    if (token !== undefined) writeFileSync(join(folder, 'operator-token'), `${token}\n`, { mode: 0o600 });
    return folder;
  }

  const ENV = { PURSER_OPERATOR_URL: NOWHERE, PURSER_OPERATOR_TOKEN: 'from_env' };
  /** `FOLDER` has the address, and the token `kept`. */
  const ways: readonly [
    what: string,
    flags: string,
    env: Record<string, string>,
    kept: string | undefined,
    sent: string,
  ][] = [
    ['by --data rather than by the environment', '--data FOLDER', ENV, 'from_folder', 'from_folder'],
    ['by PURSER_DATA', '', { PURSER_DATA: 'FOLDER' }, 'from_folder', 'from_folder'],
    [
      'by --operator and --token, over everything else',
      '--operator ORIGIN --token from_flag',
      { ...ENV, PURSER_DATA: 'FOLDER' },
      'from_folder',
      'from_flag',
    ],
    [
      'with the token of the environment when the folder has none',
      '--data FOLDER',
      { PURSER_OPERATOR_TOKEN: 'from_env' },
      undefined,
      'from_env',
    ],
    ['below the origin, as it is named', '--operator ORIGIN/operator/v1/', ENV, undefined, 'from_env'],
  ];
  for (const [what, flags, env, kept, sent] of ways)
    it(what, async (context) => {
      const folder = dataFolder(context, operator.url, kept);
      const put = (text: string) =>
        text.replace('FOLDER', folder).replace('ORIGIN', new URL(operator.url).origin);
      const set = Object.entries(env).map(([name, value]) => [name, put(value)]);
      const args = `status ${flags}`.trim().split(' ').map(put);
      const { exitCode, stderr } = await purser(args, { env: Object.fromEntries(set) });
      assert.equal(exitCode, 0, stderr);
      assert.equal(operator.last.headers.authorization, `Bearer ${sent}`);
      assert.equal(operator.last.path, '/operator/v1/status');
    });

  it('but a local token never goes to an address from elsewhere', async (context) => {
    const folder = dataFolder(context, NOWHERE, 'from_folder');
    const line = await failure(['status', '--operator', operator.url], { PURSER_DATA: folder });
    assert.match(line, /no token for .*: give --token or set PURSER_OPERATOR_TOKEN/);
    assert.equal(operator.seen.length, 0);
  });

  it('or else the command says where it looked, and why there is no token', async (context) => {
    const empty = temporaryFolder(context);
    const line = await failure(['status', '--data', empty], {});
    assert.ok(line.includes(join(empty, 'operator-address')));
    assert.match(line, /purser serve.*--operator and --token/);
    const folder = dataFolder(context, operator.url);
    const missing = await failure(['status', '--data', folder], {});
    assert.match(missing, /operator-token: no such file; give --token/);
    mkdirSync(join(folder, 'operator-token'));
    assert.match(await failure(['status', '--data', folder], {}), /operator-token: it is a folder/);
  });
});

test('a watcher of deposits is refused the state folder of another that runs', async (context) => {
  const folder = temporaryFolder(context);
  const lock = await lockStateFolder(folder);
  context.after(() => lock.release());
  const chain = `--network trc20 --api http://127.0.0.1:1 --operator http://127.0.0.1:1 --token ${TOKEN}`;
  const line = await failure(['deposits', 'watch', ...chain.split(' '), '--state', folder], {});
  assert.match(
    line,
    /is in use by another running purser \(pid \d+\): stop it first or choose another --state$/,
  );
});
