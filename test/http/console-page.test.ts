/** The console's files on the operators' listener: those that the build had when the node started, and nothing else. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { OperatorApi, type OperatorApiOptions } from '../../src/http/operator/operator-api.ts';
import { NO_BUNDLE, openConsolePage } from '../../src/http/pages/console-page.ts';
import { RequestIds } from '../../src/http/request-ids.ts';
import { openNodeTransport } from '../../src/http/transport/node.ts';
import { ListenerMeters } from '../../src/metrics/request-meter.ts';
import { listen } from '../../src/node/listeners.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

/** A listener that serves nothing else. */
async function serve(t: TestContext, folder: string): Promise<string> {
  const requestIds = new RequestIds(Date.now);
  const meters = new ListenerMeters('operator');
  const onFault = (error: unknown) => assert.fail(error as Error);
  const pages = openConsolePage(folder).routes;
  const options = { requestIds, meters, onFault, pages, routes: [], names: [] };
  const api = new OperatorApi(options as unknown as OperatorApiOptions);
  const where = { host: '127.0.0.1', port: 0, transport: openNodeTransport() };
  const listener = await listen({ ...where, requestIds, onFault, onExchange: api.onExchange });
  t.after(() => listener.stop(0));
  return `http://127.0.0.1:${listener.port}`;
}

const FILES: [name: string, content: string, type: string | undefined][] = [
  ['index.html', '<!doctype html><title>Purser</title>', undefined],
  ['console.js', 'const answer = "ü";', 'text/javascript; charset=utf-8'],
  ['console.css', 'body { color: red }', 'text/css; charset=utf-8'],
  ['console.js.map', '{}', undefined],
  ['notes.txt', 'nobody asked', undefined],
];

test('a node with the console serves the page and what it consists of; no path leads out of the folder', async (t) => {
  const folder = await createTemporaryFolder('console-page');
  t.after(() => folder.remove());
  mkdirSync(join(folder.path, 'sub.js'));
  for (const [name, content] of FILES) writeFileSync(join(folder.path, name), content);
  const base = await serve(t, folder.path);
  for (const path of ['/console', '/console/', '/']) {
    const reply = await fetch(base + path);
    assert.deepEqual([reply.status, reply.url], [200, `${base}/console`], path);
    assert.match(await reply.text(), /<title>Purser/);
  }
  for (const [name, content, type] of FILES) {
    const reply = await fetch(`${base}/console/${name}`);
    const text = await reply.text();
    if (type === undefined) assert.equal(reply.status, 404, name);
    else assert.deepEqual([reply.status, reply.headers.get('content-type'), text], [200, type, content]);
  }
  writeFileSync(join(folder.path, 'later.js'), 'x');
  for (const path of ['%2e%2e/x', '/etc/passwd', 'sub.js', 'later.js'])
    assert.equal((await fetch(`${base}/console/${path}`)).status, 404, path);
});

test('a node without the console says so in one sentence', async (t) => {
  const base = await serve(t, '/nowhere');
  const reply = await fetch(`${base}/console`);
  const { error, message } = (await reply.json()) as { error: string; message: string };
  assert.deepEqual([reply.status, error, message], [404, 'NOT_FOUND', NO_BUNDLE]);
  assert.equal(new URL((await fetch(base)).url).pathname, '/docs');
});
