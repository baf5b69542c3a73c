/** What a command says, on one line, when the node refuses, can't be found or isn't one. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
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
  const { operator } = operatorForTests();

  it('is on standard output as well with --json, as one line', async () => {
    const body = { success: false, error: 'NOT_FOUND', message: 'no such\naccount', requestId: 'req_9' };
    operator.answer = { status: 404, body };
    for (const command of [
      ['account', 'show', '1'],
      ['feed'],
      ['statement', '1'],
      ['webhook', 'test', '1'],
    ]) {
      const outcome = await purser([...command, '--json', '--operator', operator.url, '--token', TOKEN]);
      assert.equal(outcome.exitCode, 1);
      assert.equal(outcome.stdout, `${JSON.stringify(body)}\n`);
      assert.equal(outcome.stderr, 'error NOT_FOUND: no such\\naccount (requestId req_9)\n');
    }
  });

  const strangers: [status: number, body: unknown][] = [
    [200, '<html>hello</html>'],
    [200, { hello: 'world' }],
    [200, []],
    [302, ''],
    [500, { success: true }],
    [404, { error: 'not the envelope' }],
  ];
  for (const [status, body] of strangers) {
    it(`is told from a stranger's answer: ${status} ${JSON.stringify(body)}`, async () => {
      operator.answer = { status, body };
      const line = await failure(['status', '--operator', operator.url, '--token', TOKEN], {});
      assert.match(line, new RegExp(`answered ${status} with a body that is not from the operator API`));
    });
  }
});

describe('a node that does not answer', () => {
  it('is said to refuse connections, with what to do', async () => {
    const line = await failure(['status', '--operator', 'http://127.0.0.1:1', '--token', TOKEN], {});
    assert.match(line, /cannot reach http:\/\/127\.0\.0\.1:\d+\/operator\/v1: connection refused/);
    assert.match(line, /purser serve/);
  });

  const calls: [args: string[], isUncertain: boolean][] = [
    [['status'], false],
    [['wallet', 'credit', '1', '5', '--reference', 'r'], true],
  ];
  for (const [args, isUncertain] of calls) {
    it(`and breaks the connection leaves ${args[0]} ${isUncertain ? 'uncertain' : 'undone'}`, async () => {
      const { url, close } = await listen((socket) => socket.once('data', () => socket.destroy()));
      const line = await failure([...args, '--operator', url, '--token', TOKEN], {});
      close();
      assert.match(line, /the connection broke/);
      assert.equal(/it is unknown whether the change was made/.test(line), isUncertain);
    });
  }
});

describe('the node is found', () => {
  const { operator } = operatorForTests();

  /** A data folder as a running server leaves it. */
  function dataFolderOf(folder: string, url: string, token: string | undefined): string {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'operator-address'), `${url}\n`);
    if (token !== undefined) writeFileSync(join(folder, 'operator-token'), `${token}\n`, { mode: 0o600 });
    return folder;
  }

  async function tokenSent(args: readonly string[], env: Readonly<Record<string, string>>): Promise<unknown> {
    const outcome = await purser(['status', ...args], { env });
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    return operator.last.headers.authorization?.replace('Bearer ', '');
  }

  it('by --data or PURSER_DATA, address and token', async (context) => {
    const folder = dataFolderOf(temporaryFolder(context), operator.url, 'from_folder');
    assert.equal(await tokenSent([], { PURSER_DATA: folder }), 'from_folder');
    assert.equal(await tokenSent(['--data', folder], {}), 'from_folder');
  });

  it('by --operator and --token, over everything else', async (context) => {
    const folder = dataFolderOf(temporaryFolder(context), 'http://127.0.0.1:1', 'from_folder');
    const env = {
      PURSER_OPERATOR_URL: 'http://127.0.0.1:1',
      PURSER_OPERATOR_TOKEN: 'from_env',
      PURSER_DATA: folder,
    };
    assert.equal(await tokenSent(['--operator', operator.url, '--token', 'from_flag'], env), 'from_flag');
  });

  it('by --data rather than by the environment', async (context) => {
    const folder = dataFolderOf(temporaryFolder(context), operator.url, 'from_folder');
    const env = { PURSER_OPERATOR_URL: 'http://127.0.0.1:1', PURSER_OPERATOR_TOKEN: 'from_env' };
    assert.equal(await tokenSent(['--data', folder], env), 'from_folder');
  });

  it('with the token of the environment when the folder has none', async (context) => {
    const folder = dataFolderOf(temporaryFolder(context), operator.url, undefined);
    assert.equal(await tokenSent(['--data', folder], { PURSER_OPERATOR_TOKEN: 'from_env' }), 'from_env');
  });

  const bases = ['', '/', '/operator/v1', '/operator/v1/'];
  for (const base of bases) {
    it(`below the origin with ${JSON.stringify(base)} after it`, async () => {
      const url = new URL(operator.url).origin + base;
      await tokenSent(['--operator', url, '--token', TOKEN], {});
      assert.equal(operator.last.path, '/operator/v1/status');
    });
  }

  it('but a local token never goes to an address from elsewhere', async (context) => {
    const folder = dataFolderOf(temporaryFolder(context), 'http://127.0.0.1:1', 'from_folder');
    const line = await failure(['status', '--operator', operator.url], { PURSER_DATA: folder });
    assert.match(line, /no token for .*: give --token or set PURSER_OPERATOR_TOKEN/);
    assert.equal(operator.seen.length, 0);
  });

  it('or else the command says where it looked', async (context) => {
    const folder = temporaryFolder(context);
    const line = await failure(['status', '--data', folder], {});
    assert.ok(line.includes(join(folder, 'operator-address')));
    assert.match(line, /purser serve.*--operator and --token/);
  });

  it('or else the command says that the token is missing or may not be read', async (context) => {
    const folder = dataFolderOf(temporaryFolder(context), operator.url, undefined);
    assert.match(
      await failure(['status', '--data', folder], {}),
      /operator-token: no such file; give --token/,
    );
    mkdirSync(join(folder, 'operator-token'));
    assert.match(await failure(['status', '--data', folder], {}), /operator-token: it is a folder/);
  });

  it('or else the command says that the token is of another user', async (context) => {
    if (process.getuid?.() === 0) return context.skip('root may read everything');
    const folder = dataFolderOf(temporaryFolder(context), operator.url, 'from_folder');
    chmodSync(join(folder, 'operator-token'), 0);
    assert.match(await failure(['status', '--data', folder], {}), /permission denied/);
  });
});
