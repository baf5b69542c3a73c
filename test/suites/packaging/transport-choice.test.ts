/**
 * The choice of a node's transport: the package is optional, and has binaries for some versions of Node only. A hook of
 * Node's loader plays a missing one, so that every case runs wherever the tests do. The case where nothing is missing
 * is one of the contract (`operator.cases.ts`).
 */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import { startPurser } from '../../support/nodes/purser-process.ts';
import { WITHOUT_UWS } from '../../support/nodes/uws-binary.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const NOT_INSTALLED =
  "Object.assign(new Error(`Cannot find package 'uWebSockets.js'`), { code: 'ERR_MODULE_NOT_FOUND' })";
const NO_BINARY = "new Error('Cannot find module ./uws_linux_x64_999.node\\nRequire stack: /srv')";

/** The environment of a node in which the package fails to load with that error. */
function without(error: string): Record<string, string> {
  const hook = `export const resolve = (name, context, next) => {
    if (name === 'uWebSockets.js') throw ${error};
    return next(name, context);
  };`;
  const preload = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hook))});`;
  return { NODE_OPTIONS: `--import ${dataUrl(preload)}` };
}

function dataUrl(script: string): string {
  return `data:text/javascript,${encodeURIComponent(script)}`;
}

async function start(t: TestContext, flags: string[], env: Record<string, string> = {}) {
  const folder = await createTemporaryFolder('transport-choice');
  t.after(() => folder.remove());
  const server = await startPurser({ dataDir: join(folder.path, 'data'), flags, env });
  t.after(() => server.kill());
  const operator = new CheckedOperatorClient(server.operatorUrl, server.operatorToken);
  const { transport } = JSON.parse((await operator.json('GET', '/status')).text);
  const metrics = (await operator.json('GET', '/metrics')).text;
  assert.equal((await fetch(`${server.buyerUrl}/health`)).status, 200);
  const told = server.output().match(/^.*uWebSockets\.js.*$/gm) ?? [];
  return { transport, info: metrics.match(/^purser_transport_info.*$/gm), told };
}

const BY_UWS = { transport: 'uws', info: ['purser_transport_info{transport="uws"} 1'], told: [] };
const BY_NODE = { transport: 'node', info: ['purser_transport_info{transport="node"} 1'], told: [] };

describe('a node', () => {
  it('serves by uWebSockets.js when its binary loads', { skip: WITHOUT_UWS }, async (t) => {
    assert.deepEqual(await start(t, []), BY_UWS);
  });

  it('serves by node:http when told to, and says nothing about it', async (t) => {
    assert.deepEqual(await start(t, ['--transport', 'node'], without(NOT_INSTALLED)), BY_NODE);
  });

  it('serves by node:http without the package, and says once what that costs', async (t) => {
    const { told, ...served } = await start(t, ['--transport', 'auto'], without(NO_BINARY));
    assert.deepEqual({ ...served, told: [] }, BY_NODE);
    assert.equal(told.length, 1);
    const { level, msg } = JSON.parse(told[0] ?? '');
    assert.equal(level, 40);
    assert.match(
      msg,
      /^uWebSockets\.js does not load on Node .* \(Cannot find module .*npm install --no-save /,
    );
  });

  it('does not start when told to serve by uWebSockets.js without it, and touches no folder', async (t) => {
    const folder = await createTemporaryFolder('transport-choice');
    t.after(() => folder.remove());
    const dataDir = join(folder.path, 'data');
    const started = startPurser({ dataDir, flags: ['--transport', 'uws'], env: without(NO_BINARY) });
    await assert.rejects(started, ({ code, stderr }) => {
      assert.equal(code, 1);
      assert.match(stderr, /uWebSockets\.js does not load .* put in place by: npm install .*glibc 2\.38/);
      return true;
    });
    await assert.rejects(readdir(dataDir), { code: 'ENOENT' });
  });
});
