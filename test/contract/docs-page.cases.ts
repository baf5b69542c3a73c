/** The page at /docs: complete by itself, and safe to open. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BuyerClient } from '../support/buyer-client.ts';
import { assertRefusal } from './reply-assertions.ts';
import { casesOf } from './scene.ts';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  png: 'image/png',
  json: 'application/json; charset=utf-8',
};

export const docsPage = casesOf('page of the document', (scene) => {
  let pageUrl: string;
  let page: string;
  before(async () => {
    pageUrl = new URL('/docs', scene.server.buyerUrl).href;
    page = await (await fetch(pageUrl)).text();
  });

  /** The addresses that the page and its own script name, as a browser would resolve them. */
  async function namedAddresses(): Promise<URL[]> {
    const inPage = Array.from(page.matchAll(/\b(?:src|href)="([^"]*)"/g), ([, address = '']) => address);
    const script = await (await fetch(new URL('docs/start.js', pageUrl))).text();
    const inScript = Array.from(script.matchAll(/\burl: '([^']*)'/g), ([, address = '']) => address);
    assert.deepEqual([inPage.length, inScript.length], [4, 1]);
    return [...inPage, ...inScript].map((address) => new URL(address, pageUrl));
  }

  test('it is HTML, needs no key, and is not stored', async () => {
    const reply = await fetch(pageUrl);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    assert.match(String(reply.headers.get('x-request-id')), /^req_/);
  });

  test('everything it names is on this server, with its type', async () => {
    for (const address of await namedAddresses()) {
      assert.equal(address.origin, new URL(pageUrl).origin);
      const reply = await fetch(address);
      const body = await reply.arrayBuffer();
      assert.equal(reply.status, 200, address.pathname);
      const extension = address.pathname.split('.').at(-1) ?? '';
      assert.equal(reply.headers.get('content-type'), TYPES[extension], address.pathname);
      assert.equal(body.byteLength, Number(reply.headers.get('content-length')));
      assert.ok(body.byteLength > 0, address.pathname);
    }
  });

  test('its styles refer to nothing but what they contain', async () => {
    const styles = await (await fetch(new URL('docs/swagger-ui.css', pageUrl))).text();
    const addresses = Array.from(styles.matchAll(/url\(["']?([^"')]{1,30})/g), ([, address = '']) => address);
    assert.ok(addresses.length > 0);
    for (const address of addresses) assert.match(address, /^data:/);
    assert.doesNotMatch(styles, /@import/);
  });

  test('a browser may load nothing from elsewhere, run nothing inline, and show it in no frame', async () => {
    for (const address of [new URL(pageUrl), ...(await namedAddresses())]) {
      if (address.pathname.endsWith('.json')) continue;
      const { headers } = await fetch(address);
      const policy = new Map(
        String(headers.get('content-security-policy'))
          .split('; ')
          .map((directive) => [directive.split(' ')[0] ?? '', directive.split(' ').slice(1)] as const),
      );
      for (const name of ['default-src', 'base-uri', 'form-action', 'frame-ancestors']) {
        assert.deepEqual(policy.get(name), ["'none'"], name);
      }
      for (const name of ['script-src', 'style-src', 'connect-src']) {
        assert.deepEqual(policy.get(name), ["'self'"], name);
      }
      assert.deepEqual(policy.get('img-src'), ["'self'", 'data:']);
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
    assert.doesNotMatch(page, /<script>|<style|\sstyle=|\son[a-z]+=/);
  });

  test('it asks nobody else whether the document is valid, and takes no key', async () => {
    const script = await (await fetch(new URL('docs/start.js', pageUrl))).text();
    assert.match(script, /validatorUrl: null/);
    assert.match(script, /supportedSubmitMethods: \[\]/);
  });

  test('no other file of the renderer is served', async () => {
    const client = new BuyerClient(new URL(pageUrl).origin);
    for (const path of [
      '/docs/',
      '/docs/package.json',
      '/docs/../package.json',
      '/docs/%2e%2e/package.json',
    ]) {
      assertRefusal(await client.raw('GET', path), 404, 'NOT_FOUND');
    }
    client.close();
  });
});
