/** The console's files on the operators' listener, and what a browser is told with them. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { NO_BUNDLE, openConsolePage } from '../../src/http/console-page.ts';
import { OperatorApi, type OperatorApiOptions } from '../../src/http/operator/operator-api.ts';
import { RequestIds } from '../../src/http/request-ids.ts';
import { openNodeTransport } from '../../src/http/transport/node.ts';
import type { Listener } from '../../src/http/transport/transport.ts';
import { listen } from '../../src/listeners.ts';
import { ListenerMeters } from '../../src/metrics/request-meter.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

/** A listener that serves nothing else. */
async function serve(folder: string): Promise<Listener> {
  const requestIds = new RequestIds(Date.now);
  const meters = new ListenerMeters('operator');
  const onFault = (error: unknown) => assert.fail(error as Error);
  const pages = openConsolePage(folder).routes;
  const options = { requestIds, meters, onFault, pages, routes: [], names: [] };
  const api = new OperatorApi(options as unknown as OperatorApiOptions);
  const where = { host: '127.0.0.1', port: 0, transport: openNodeTransport() };
  return listen({ ...where, requestIds, onFault, onExchange: api.onExchange });
}

const FILES: [name: string, content: string, type: string | undefined][] = [
  ['index.html', '<!doctype html><title>Purser</title>', undefined],
  ['console.js', 'const answer = "ü";', 'text/javascript; charset=utf-8'],
  ['console.css', 'body { color: red }', 'text/css; charset=utf-8'],
  ['icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
  ['console.js.map', '{}', undefined],
  ['notes.txt', 'nobody asked', undefined],
];

describe('a node with the console', () => {
  let folder: TemporaryFolder;
  let listener: Listener;
  let base: string;
  before(async () => {
    folder = await createTemporaryFolder('console-page');
    mkdirSync(join(folder.path, 'sub.js'));
    for (const [name, content] of FILES) writeFileSync(join(folder.path, name), content);
    listener = await serve(folder.path);
    base = `http://127.0.0.1:${listener.port}`;
  });
  after(async () => {
    await listener.stop(0);
    await folder.remove();
  });

  test('serves the page at /console, and where somebody puts a slash behind it, or no path at all', async () => {
    for (const path of ['/console', '/console/', '/', '']) {
      const reply = await fetch(base + path);
      assert.equal(reply.status, 200, path);
      assert.equal(reply.url, `${base}/console`);
      assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(await reply.text(), /<title>Purser/);
    }
  });

  test('has what a page consists of, and nothing else', async () => {
    for (const [name, content, type] of FILES) {
      const reply = await fetch(`${base}/console/${name}`);
      const text = await reply.text();
      if (type === undefined) assert.equal(reply.status, 404, name);
      else assert.deepEqual([reply.status, reply.headers.get('content-type'), text], [200, type, content]);
    }
  });

  test('reads nothing from the disk for a request, so no path leads out of the folder', async () => {
    for (const path of ['/console/%2e%2e/x', '/console//etc/passwd', '/console/sub.js'])
      assert.equal((await fetch(base + path)).status, 404, path);
    writeFileSync(join(folder.path, 'later.js'), 'x');
    assert.equal((await fetch(`${base}/console/later.js`)).status, 404);
  });
});

test('a node without the console says so in one sentence', async () => {
  const folder = await createTemporaryFolder('no-console');
  for (const place of [folder.path, join(folder.path, 'not-there')]) {
    const listener = await serve(place);
    const reply = await fetch(`http://127.0.0.1:${listener.port}/console`);
    const { error, message } = (await reply.json()) as { error: string; message: string };
    assert.deepEqual([reply.status, error, message], [404, 'NOT_FOUND', NO_BUNDLE]);
    const root = await fetch(`http://127.0.0.1:${listener.port}`);
    assert.equal(new URL(root.url).pathname, '/docs');
    await listener.stop(0);
  }
  await folder.remove();
});
