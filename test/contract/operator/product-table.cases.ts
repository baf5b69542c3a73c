/** COMMERCE.md §4: products from a table and back: each column, each error. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { casesOf } from '../scene.ts';

interface Imported {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly errorCount: number;
  readonly errors: readonly { readonly line: number; readonly column: string; readonly message: string }[];
  readonly lines?: readonly {
    readonly line: number;
    readonly sku: string;
    readonly productId?: number;
    readonly changes: readonly { readonly field: string; readonly from: unknown; readonly to: unknown }[];
  }[];
}

const HEADER = 'sku,name,priceUsdt';

export const productTables = casesOf('operator API: tables of products', (scene) => {
  const send = (table: string | Buffer, query = '') =>
    scene.operator.request(
      'POST',
      `/products/import${query}`,
      { 'content-type': 'text/csv' },
      new Uint8Array(Buffer.from(table)),
    );

  async function imported(table: string | Buffer, query = ''): Promise<Imported> {
    const reply = await send(table, query);
    assertDone(reply, 200);
    return JSON.parse(reply.text) as Imported;
  }

  const countsOf = ({ created, updated, unchanged, errorCount }: Imported) => [
    created,
    updated,
    unchanged,
    errorCount,
  ];

  async function exported(): Promise<string> {
    const reply = await scene.operator.request('GET', '/products', { accept: 'text/csv' });
    assert.equal(reply.status, 200);
    assert.match(reply.headers.get('content-type') ?? '', /^text\/csv/);
    return reply.text;
  }

  /** Header and the lines of these skus, which have no line breaks. */
  async function exportedLines(prefix: string): Promise<string> {
    const [header = '', ...lines] = (await exported()).split('\r\n');
    return [header, ...lines.filter((line) => line.startsWith(prefix))].join('\r\n');
  }

  async function productOf(sku: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const found: Readonly<Record<string, unknown>>[] = [];
    for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
      const { text } = await scene.operator.request('GET', `/products?cursor=${cursor}`, {});
      const page = JSON.parse(text) as { products: Readonly<Record<string, unknown>>[]; nextCursor?: string };
      found.push(...page.products.filter((product) => product.sku === sku));
      cursor = page.nextCursor;
    }
    assert.ok(found.length <= 1);
    return found[0];
  }

  test('every column sets its field, an empty cell leaves it, and what is exported changes nothing', async () => {
    const sku = `=full ${randomUUID()}`;
    const fields = {
      name: '-50% "off"',
      priceUsdt: 9.5,
      description: '+1; a, b',
      instructions: "'quoted'",
      type: 'standard',
      category: '@home',
      imageUrl: 'https://pictures.example/a.png',
      active: false,
      visibility: 'listed',
      minQuantity: 2,
      maxQuantity: 90,
      lowStock: 5,
      requiresRecipient: true,
      allowDuplicates: false,
      priceTiers: [
        { minQuantity: 10, priceUsdt: 9 },
        { minQuantity: 100, priceUsdt: 8.505 },
      ],
      attributes: { region: 'EU', '=x': '=1+1' },
    };
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const { attributes, priceTiers, ...plain } = fields;
    const header = [
      'sku',
      ...Object.keys(plain),
      'priceTiers',
      ...Object.keys(attributes).map((name) => `attributes.${name}`),
    ];
    const cells = [
      sku,
      ...Object.values(plain).map(String),
      '10:9.00 100:8.505',
      ...Object.values(attributes),
    ];
    const table = `${header.join(',')}\n${cells.map(quoted).join(',')}\n`;
    assert.deepEqual(countsOf(await imported(table)), [1, 0, 0, 0]);
    const made = await productOf(sku);
    assert.deepEqual({ ...made, ...fields, sku }, made);
    const empty = `${header.join(',')}\n${quoted(sku)}${','.repeat(header.length - 1)}\n`;
    assert.deepEqual(countsOf(await imported(empty)), [0, 0, 1, 0]);
    const lines = await exportedLines(`'${sku}`);
    assert.ok(lines.includes("'-50%"), 'no spreadsheet runs it as a formula');
    assert.deepEqual(countsOf(await imported(lines)), [0, 0, 1, 0]);
    const other = lines.replace('9.5', '7.25').replace('https://pictures.example/a.png', '');
    assert.deepEqual(countsOf(await imported(other)), [0, 1, 0, 0]);
    assert.deepEqual(await productOf(sku), { ...made, priceUsdt: 7.25 });
  });

  test('one attribute changes, and the others stay', async () => {
    const sku = randomUUID();
    await imported(`${HEADER},attributes.a,attributes.b\n${sku},X,1,1,2\n`);
    assert.deepEqual(
      countsOf(await imported(`${HEADER},attributes.b,attributes.c\n${sku},,,3,4\n`)),
      [0, 1, 0, 0],
    );
    assert.deepEqual((await productOf(sku))?.attributes, { a: '1', b: '3', c: '4' });
  });

  test('an attribute may have a name that every object inherits', async () => {
    const skus = [randomUUID(), randomUUID()];
    const column = 'attributes.constructor';
    await imported(`${HEADER},${column}\n${skus[0]},X,1,Ada\n${skus[1]},X,1,\n`);
    assert.match(await exportedLines(skus[1] ?? ''), new RegExp(`${column}.*\r\n${skus[1]},X,1,[a-z1,]*$`));
    assert.deepEqual(countsOf(await imported(`${HEADER},${column}\n${skus[1]},X,1,'=\n`)), [0, 1, 0, 0]);
    assert.deepEqual((await productOf(skus[1] ?? ''))?.attributes, { constructor: '=' });
  });

  test('an attribute that would come back by another name is refused', async () => {
    const product = { name: 'X', description: '', instructions: '', type: 'standard', priceUsdt: 1 };
    for (const name of [' region', 'region '])
      assertRefused(
        await scene.operator.json('POST', '/products', { ...product, attributes: { [name]: 'EU' } }),
        400,
        'BAD_REQUEST',
      );
  });

  test('each error has its line and column; nothing changes, unless bad lines are left out', async () => {
    const sku = randomUUID();
    const header = `${HEADER},type,active,minQuantity,maxQuantity,lowStock,priceTiers,imageUrl,description`;
    const line = (cells: Readonly<Record<string, string>>) =>
      header
        .split(',')
        .map((column) => cells[column] ?? '')
        .join(',');
    const good = { name: 'X', priceUsdt: '1' };
    const bad: readonly (readonly [column: string, cells: Readonly<Record<string, string>>])[] = [
      ['sku', { ...good }],
      ['sku', { ...good, sku: 'x'.repeat(65) }],
      ['sku', { ...good, sku }],
      ['name', { sku: `${sku} 2`, priceUsdt: '1' }],
      ['priceUsdt', { sku: `${sku} 3`, name: 'X' }],
      ['priceUsdt', { ...good, sku: `${sku} 4`, priceUsdt: '"9,50"' }],
      ['priceUsdt', { ...good, sku: `${sku} 5`, priceUsdt: '9.505' }],
      ['type', { ...good, sku: `${sku} 6`, type: 'subscription' }],
      ['active', { ...good, sku: `${sku} 7`, active: 'ja' }],
      ['minQuantity', { ...good, sku: `${sku} 8`, minQuantity: '0' }],
      ['minQuantity', { ...good, sku: `${sku} 9`, minQuantity: '5', maxQuantity: '4' }],
      ['lowStock', { ...good, sku: `${sku} 10`, type: 'manual', lowStock: '4' }],
      ['priceTiers', { ...good, sku: `${sku} 11`, priceTiers: '10-9.00' }],
      ['priceTiers', { ...good, sku: `${sku} 12`, priceTiers: '10:9 5:8' }],
      ['imageUrl', { ...good, sku: `${sku} 13`, imageUrl: 'http://x.example/a.png' }],
    ];
    const first = line({ ...good, sku, description: '"two\nlines"' });
    const table = `${[header, first, ...bad.map(([, cells]) => line(cells))].join('\n')}\n${sku} 14,too few\n`;
    const expected = [...bad.map(([column], at) => [at + 4, column]), [bad.length + 4, 'priceUsdt']];
    for (const query of ['', '?dryRun=true', '?leaveOutBadLines=true&dryRun=true']) {
      const answer = await imported(table, query);
      assert.deepEqual(
        answer.errors.map(({ line, column }) => [line, column]),
        expected,
      );
      assert.deepEqual(countsOf(answer), [1, 0, 0, expected.length]);
      assert.equal(await productOf(sku), undefined, 'nothing was changed');
    }
    assert.deepEqual(countsOf(await imported(table, '?leaveOutBadLines=true')), [1, 0, 0, expected.length]);
    assert.equal((await productOf(sku))?.name, 'X');
    const many = `${HEADER}\n${',X,1\n'.repeat(130)}`;
    const { errors, errorCount } = await imported(many);
    assert.deepEqual([errors.length, errorCount], [100, 130]);
  });

  test('what is wrong with the table itself is 400, and names the column', async () => {
    for (const [table, said] of [
      ['', /empty/],
      ['\n\n', /empty/],
      ['sku,name\na,b\n', /priceUsdt/],
      ['name,priceUsdt\na,1\n', /sku/],
      [`${HEADER},colour\na,b,1,red\n`, /colour/],
      [`${HEADER},availableStock\na,b,1,2\n`, /availableStock/],
      [`${HEADER},name\na,b,1,c\n`, /name/],
      [`${HEADER},attributes.a,attributes.a\na,b,1,c,d\n`, /attributes\.a/],
      [`${HEADER},attributes.\na,b,1,c\n`, /attributes\./],
      [`${HEADER}\na,"b,1\n`, /line 2/],
    ] as const) {
      for (const query of ['', '?dryRun=true', '?leaveOutBadLines=true']) {
        const reply = await send(table, query);
        assertRefused(reply, 400, 'BAD_REQUEST');
        assert.match(reply.text, said);
      }
    }
    for (const query of ['?charset=utf-7', '?dryRun=yes', '?dryRum=true'])
      assertRefused(await send(`${HEADER}\n`, query), 400, 'BAD_REQUEST');
    assertRefused(await scene.operator.json('POST', '/products/import', {}), 400, 'BAD_REQUEST');
  });

  test('a dry run says from what to what, and the type of a product stays', async () => {
    const sku = randomUUID();
    const made = (await imported(`${HEADER},category\n${sku},X,1,Games\n`, '?dryRun=true')).lines?.[0];
    assert.deepEqual([made?.line, made?.sku, made?.productId], [2, sku, undefined]);
    assert.deepEqual(
      made?.changes.find(({ field }) => field === 'category'),
      { field: 'category', from: null, to: 'Games' },
    );
    assert.equal(await productOf(sku), undefined);
    await imported(`${HEADER}\n${sku},X,1\n`);
    const productId = (await productOf(sku))?.productId;
    const { lines } = await imported(`${HEADER},maxQuantity\n${sku},X,2.50,7\n`, '?dryRun=true');
    const changes = [
      { field: 'maxQuantity', from: null, to: 7 },
      { field: 'priceUsdt', from: 1, to: 2.5 },
    ];
    assert.deepEqual(lines, [{ line: 2, sku, productId, changes }]);
    const { errors } = await imported(`${HEADER},type\n${sku},X,1,manual\n`);
    assert.deepEqual(
      errors.map(({ line, column }) => [line, column]),
      [[2, 'type']],
    );
    assert.equal((await productOf(sku))?.priceUsdt, 1);
  });

  test('each changed product is a fact with what it was, and the reason', async () => {
    const sku = randomUUID();
    await imported(`${HEADER}\n${sku},X,1\n`);
    await imported(`${HEADER}\n${sku},X,2\n`, '?reason=new%20list');
    const productId = (await productOf(sku))?.productId;
    const { text } = await scene.operator.request('GET', '/audit', {});
    const { entries } = JSON.parse(text) as { entries: Readonly<Record<string, unknown>>[] };
    const entry = entries.find((row) => row.productId === productId);
    assert.deepEqual([entry?.action, entry?.reason], ['ProductUpdated', 'new list']);
    assert.deepEqual(entry?.changes, [{ field: 'priceUsdt', from: 1, to: 2 }]);
  });
});
