/** The pages at /docs of both listeners: complete by themselves, and safe to open. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BuyerClient } from '../../support/buyer-client.ts';
import { assertRefusal } from '../reply-assertions.ts';
import { casesOf } from '../scene.ts';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  png: 'image/png',
  json: 'application/json; charset=utf-8',
};

export const docsPage = casesOf('pages of the documents', (scene) => {
  for (const listener of ['buyerUrl', 'operatorUrl'] as const) {
    test(`${listener}: it needs no key, and all that it names is on this server; nothing is run inline or framed`, async () => {
      const apiUrl = scene.server[listener];
      const pageUrl = new URL('/docs', apiUrl).href;
      const reply = await fetch(pageUrl);
      const page = await reply.text();
      assert.deepEqual([reply.status, reply.headers.get('cache-control')], [200, 'no-store']);
      assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.doesNotMatch(page, /<script>|<style|\sstyle=|\son[a-z]+=/);
      assertSafe(reply);
      const named = page.matchAll(/\b(?:src|href|data-document)="([^"]*)"/g);
      const addresses = Array.from(named, ([, address = '']) => new URL(address, pageUrl));
      assert.equal(addresses.length, 5);
      assert.ok(addresses.some(({ href }) => href === `${apiUrl}/openapi.json`));
      for (const address of addresses) {
        assert.equal(address.origin, new URL(pageUrl).origin);
        const part = await fetch(address);
        const text = await part.text();
        const extension = address.pathname.split('.').at(-1) ?? '';
        assert.deepEqual([part.status, part.headers.get('content-type')], [200, TYPES[extension]]);
        if (extension !== 'json') assertSafe(part);
        if (extension !== 'css') continue;
        for (const [, url = ''] of text.matchAll(/url\(["']?([^"')]{1,30})/g)) assert.match(url, /^data:/);
        assert.doesNotMatch(text, /@import/);
      }
      const script = await (await fetch(new URL('docs/start.js', pageUrl))).text();
      assert.match(script, /validatorUrl: null/);
      assert.match(script, /supportedSubmitMethods: \[\]/, 'it takes no key');
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
  }
});

function assertSafe({ headers }: Response): void {
  const policy = String(headers.get('content-security-policy')).split('; ');
  for (const name of ['default-src', 'base-uri', 'form-action', 'frame-ancestors']) {
    assert.ok(policy.includes(`${name} 'none'`), name);
  }
  for (const name of ['script-src', 'style-src', 'connect-src']) assert.ok(policy.includes(`${name} 'self'`));
  assert.ok(policy.includes("img-src 'self' data:"));
  assert.equal(headers.get('x-frame-options'), 'DENY');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
}
