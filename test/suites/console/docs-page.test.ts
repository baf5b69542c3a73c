/** The pages of the documents in a browser, under the policy that they come with. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { consoleForTests, IN_BROWSER } from './console-under-test.ts';

/** The operators' document is long: a busy machine draws it for half a minute. */
const PATIENCE_MS = 120_000;

describe('the page of the document', IN_BROWSER, () => {
  const shop = consoleForTests();
  /** The tab expects one listener, the operators'. */
  const expected = /^a request to elsewhere: \S+\/(docs|api\/v1\/buyer\/openapi\.json)/;

  for (const { whose, url } of [
    { whose: 'operators’', url: () => shop.node.operatorUrl },
    { whose: 'buyers’', url: () => shop.node.buyerUrl },
  ])
    it(`of the ${whose} is drawn, and makes nothing but words of a text`, async () => {
      const page = await shop.tab({ token: '', expected });
      await page.goto(new URL('/docs', url()).href);
      await page.locator('#errors td').first().waitFor({ timeout: PATIENCE_MS });
      const made = await page.evaluate(
        `trustedTypes.defaultPolicy.createHTML('<p>1 < 2</p><img src=x onerror=alert(1)><p onclick=x>').toString()`,
      );
      assert.equal(made, '<p>1 &lt; 2</p>&lt;img src=x onerror=alert(1)>&lt;p onclick=x>');
    });
});
