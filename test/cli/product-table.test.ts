/** `purser product import` and `export`: what they send, what they print, and how they end. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { operatorForTests, temporaryFolder } from './fake-operator.ts';

const TABLE = 'sku;name;priceUsdt\na;"Für\nSie";1\n';
const COUNTS = { created: 1, updated: 1, unchanged: 0, errorCount: 0, errors: [] };
const ERRORS = [{ line: 7, column: 'priceUsdt', message: 'priceUsdt must have at most 2 decimals.' }];

describe('products as tables', () => {
  const { operator, call } = operatorForTests();
  const answers = (body: object) => {
    operator.answer = { status: 200, body: { success: true, requestId: 'req_1', ...body } };
  };

  it('import sends the bytes of the file, and prints from what to what in a dry run', async (context) => {
    const file = join(temporaryFolder(context), 'products.csv');
    writeFileSync(file, Buffer.from(TABLE, 'latin1'));
    const changes = [{ field: 'priceUsdt', from: 1, to: 2.5 }];
    const lines = [{ line: 2, sku: 'a', productId: 4, changes }];
    answers({ ...COUNTS, lines });
    const dry = await call(`product import ${file} --dry-run --charset windows-1252 --reason spring`);
    assert.equal(dry.exitCode, 0, dry.stderr);
    const { last } = operator;
    const url = new URL(last.path, operator.url);
    assert.deepEqual(
      [last.method, url.pathname, last.headers['content-type']],
      ['POST', '/operator/v1/products/import', 'text/csv'],
    );
    const query = { dryRun: 'true', charset: 'windows-1252', reason: 'spring' };
    assert.deepEqual(Object.fromEntries(url.searchParams), query);
    assert.equal(Number(last.headers['content-length']), TABLE.length);
    assert.match(dry.stdout, /line +sku +field +old +new\n2 +a +priceUsdt +1 +2\.5\n/);
    assert.match(dry.stdout, /and 1 more lines/);
  });

  it('import tells every error it is told, counts the rest, and ends with 1 unless bad lines are left out', async (context) => {
    const file = join(temporaryFolder(context), 'products.csv');
    writeFileSync(file, TABLE);
    answers({ ...COUNTS, errorCount: 130, errors: ERRORS });
    const refused = await call(`product import ${file}`);
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stdout, /7 +priceUsdt +priceUsdt must have at most 2 decimals\./);
    assert.match(refused.stdout, /and 129 more errors/);
    assert.match(refused.stderr, /130 lines have errors, so nothing changed/);
    const leftOut = await call(`product import ${file} --leave-out-bad-lines`);
    assert.equal(leftOut.exitCode, 0, leftOut.stderr);
    assert.match(leftOut.stdout, /7 +priceUsdt/);
    assert.match(operator.last.path, /leaveOutBadLines=true/);
  });

  it('export asks for a table, and prints it as it is', async () => {
    const { exitCode, stdout } = await call('product export');
    assert.deepEqual([exitCode, operator.last.headers.accept], [0, 'text/csv']);
    assert.equal(operator.last.path, '/operator/v1/products');
    assert.equal(stdout, JSON.stringify(operator.answer.body));
  });
});

describe('prices as tables', () => {
  const { operator, call } = operatorForTests();

  it('import prints old and new in a dry run, beside what the newest lot cost', async (context) => {
    const file = join(temporaryFolder(context), 'prices.csv');
    writeFileSync(file, 'sku,priceUsdt\na,2.5\n');
    const line = { line: 2, productId: 4, oldPriceUsdt: null, newPriceUsdt: 2.5, newestCostUsdt: 1.25 };
    const said = { success: true, requestId: 'req_1', ...COUNTS, updated: 0, lines: [line] };
    operator.answer = { status: 200, body: said };
    const dry = await call(`price import 3 ${file} --dry-run`);
    assert.equal(dry.exitCode, 0, dry.stderr);
    assert.equal(operator.last.path, '/operator/v1/price-lists/3/import?dryRun=true');
    assert.match(dry.stdout, /line +product +old +new +newestCost\n2 +4 +none +2\.5 +1\.25\n/);
  });
});
