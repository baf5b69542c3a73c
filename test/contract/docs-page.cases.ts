/** The pages at /docs of both listeners: complete by themselves, and safe to open. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { BuyerClient } from '../support/buyer-client.ts';
import { assertRefusal } from './reply-assertions.ts';
import { casesOf } from './scene.ts';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  png: 'image/png',
  json: 'application/json; charset=utf-8',
};

export const docsPage = casesOf('pages of the documents', (scene) => {
  describe("the buyers'", () => casesOfPage(() => scene.server.buyerUrl));
  describe("the operators'", () => casesOfPage(() => scene.server.operatorUrl));
});

function casesOfPage(apiUrl: () => string): void {
  let pageUrl: string;
  let page: string;
  before(async () => {
    pageUrl = new URL('/docs', apiUrl()).href;
    page = await (await fetch(pageUrl)).text();
  });

  /** The addresses that the page names, as a browser would resolve them. Its script names none. */
  async function namedAddresses(): Promise<URL[]> {
    const inPage = Array.from(
      page.matchAll(/\b(?:src|href|data-document)="([^"]*)"/g),
      ([, address = '']) => address,
    );
    assert.equal(inPage.length, 6);
    return inPage.map((address) => new URL(address, pageUrl));
  }

  test('it shows the document of its own listener', () => {
    const path = /data-document="([^"]+)"/.exec(page)?.[1];
    assert.equal(new URL(String(path), pageUrl).href, `${apiUrl()}/openapi.json`);
  });

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
    for (const name of ['swagger-ui.css', 'page.css']) {
      const styles = await (await fetch(new URL(`docs/${name}`, pageUrl))).text();
      for (const [, address = ''] of styles.matchAll(/url\(["']?([^"')]{1,30})/g))
        assert.match(address, /^data:/);
      assert.doesNotMatch(styles, /@import/);
      assert.match(styles, /dark/, 'it has a dark scheme');
    }
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
      '/docs/LICENSE',
      '/docs/%2e%2e/package.json',
    ]) {
      assertRefusal(await client.raw('GET', path), 404, 'NOT_FOUND');
    }
    client.close();
  });
}
