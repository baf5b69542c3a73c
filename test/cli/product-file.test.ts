/** `purser product file`: the bytes go up as they are, with the type that buyers shall get them with. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { patternBytes } from '../support/pattern-bytes.ts';
import { type CliSetting, operatorForTests, temporaryFolder } from './fake-operator.ts';

const file = { fileId: 'a'.repeat(32), sizeBytes: 5, contentType: 'a/b', sha256: 'b'.repeat(64) };
const SET = { success: true, productId: 12, file, requestId: 'req_1' };

describe('product file', () => {
  const { operator, call } = operatorForTests({ status: 200, body: SET });
  const productFile = (args: readonly string[], setting: CliSetting = {}) =>
    call(['product', 'file', ...args], setting);

  it('streams a file byte for byte, with its length, as bytes of no particular type', async (context) => {
    const bytes = patternBytes(3_000_001, 1);
    const path = join(temporaryFolder(context), 'book.pdf');
    writeFileSync(path, bytes);
    const outcome = await productFile(['12', path]);
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    const { last } = operator;
    assert.equal(`${last.method} ${last.path}`, 'PUT /operator/v1/products/12/file');
    assert.equal(last.headers['content-type'], 'application/octet-stream');
    assert.equal(last.headers['content-length'], String(bytes.length));
    assert.equal(last.bodySha256, createHash('sha256').update(bytes).digest('hex'));
    assert.match(outcome.stdout, /^productId: +12$/m);
    assert.match(outcome.stdout, /^file\.sizeBytes: +5$/m);
  });

  it('streams standard input with the type that it is told', async () => {
    const type = 'text/plain; charset=utf-8';
    const outcome = await productFile(['12', '-', '--content-type', type], { stdin: 'hello' });
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    assert.equal(operator.last.headers['content-type'], type);
    assert.equal(operator.last.headers['transfer-encoding'], 'chunked');
    assert.equal(operator.last.body, 'hello');
  });

  for (const type of ['pdf', 'a/b\r\nx-evil: 1', 'a/b; c']) {
    it(`refuses the type ${JSON.stringify(type)} before it calls`, async () => {
      const outcome = await productFile(['12', '-', '--content-type', type], { stdin: 'hello' });
      assert.equal(outcome.exitCode, 2);
      assert.match(outcome.stderr, /expected a media type, such as application\/pdf/);
      assert.equal(operator.seen.length, 0);
    });
  }
});
