/** Every file of `table-files.ts`, by API and by command: both take the same, and refuse the same with the same words. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { purser } from '../../cli/fake-operator.ts';
import { eventually } from '../../support/eventually.ts';
import { openUpload } from '../../support/open-upload.ts';
import { HARD_TEXT, TABLE_FILES, type TableFile } from '../../support/table-files.ts';
import { assertRefused } from '../operator-reply.ts';
import { casesOf, known } from '../scene.ts';
import { withdraw } from './stock-counts.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The answer's fields, `refused` with the message of a refusal among them. */
type Way = (noun: Noun, file: TableFile, bytes: Buffer, isDry: boolean) => Promise<Fields>;

interface Noun {
  readonly path: string;
  /** The command without its file. */
  readonly command: readonly string[];
  /** Of the path; the command has it as a flag. */
  readonly column?: string;
  /** Header and one record; the first cell is the key. */
  readonly rows: readonly (readonly string[])[];
  /** The record as the node has it now: undefined when it was not taken. */
  readonly taken: () => Promise<unknown>;
  readonly expected: unknown;
  /** The fields that say that one record would be taken, or was, and that it was taken before. */
  readonly done: (isDry: boolean) => Fields;
  readonly again: Fields;
  /** What is said of each fault: a text of the refusal, or fields of the answer. */
  readonly faults: (
    isDry: boolean,
  ) => Readonly<Record<NonNullable<TableFile['fault']>, RegExp | Fields | 'taken'>>;
}

const IMPORTED = { created: 1, updated: 0, unchanged: 0, errorCount: 0, errors: [] };

export const tableFiles = casesOf('operator API: files of spreadsheets', (scene) => {
  const json = async (path: string) =>
    JSON.parse((await scene.operator.request('GET', path, {})).text) as Fields;

  async function products(): Promise<Noun> {
    const sku = `${HARD_TEXT} ${randomUUID().slice(0, 24)}`;
    const description = `${HARD_TEXT}\tx\nnext line`;
    const badLine = (column: string, line = 2) => ({ errorCount: 1, column, line });
    return {
      path: '/products/import',
      command: ['product', 'import'],
      rows: [
        ['sku', 'name', 'priceUsdt', 'description'],
        [sku, HARD_TEXT, '9.50', description],
      ],
      taken: async () => {
        const rows = (await json('/products?search=F%C3%BCr')).products as Fields[];
        const row = rows.find((product) => product.sku === sku);
        return row && [row.name, row.priceUsdt, row.description];
      },
      expected: [HARD_TEXT, 9.5, description],
      done: () => IMPORTED,
      again: { ...IMPORTED, created: 0, unchanged: 1 },
      faults: () => ({
        'not UTF-8': badLine('sku'),
        'column missing': /Column "sku" is missing/,
        'column unknown': /Column "colour" is not known/,
        'key twice': badLine('sku', 4),
        empty: /empty/,
      }),
    };
  }

  async function prices(): Promise<Noun> {
    const sku = `${HARD_TEXT} ${randomUUID().slice(0, 24)}`;
    const productId = await scene.product();
    await scene.operator.json('PATCH', `/products/${productId}`, { sku });
    const made = await scene.operator.json('POST', '/price-lists', { name: 'Files' });
    const priceListId = known((JSON.parse(made.text) as { priceListId?: number }).priceListId);
    const badLine = (line = 2) => ({ errorCount: 1, column: 'sku', line });
    return {
      path: `/price-lists/${priceListId}/import`,
      command: ['price', 'import', String(priceListId)],
      rows: [
        ['sku', 'priceUsdt'],
        [sku, '2.50'],
      ],
      taken: async () => ((await json(`/price-lists/${priceListId}`)).prices as Fields[])[0],
      expected: { productId, priceUsdt: 2.5, priceTiers: [] },
      done: () => IMPORTED,
      again: { ...IMPORTED, created: 0, unchanged: 1 },
      faults: () => ({
        'not UTF-8': badLine(),
        'column missing': /Column "sku" or "productId" is missing/,
        'column unknown': /Column "colour" is not known/,
        'key twice': badLine(3),
        empty: /empty/,
      }),
    };
  }

  async function stock(): Promise<Noun> {
    const item = `${HARD_TEXT}\nPIN 7`;
    const productId = await scene.product();
    return {
      path: `/products/${productId}/stock`,
      command: ['stock', 'add', String(productId)],
      column: 'Code',
      rows: [
        ['Code', 'Note'],
        [item, HARD_TEXT],
      ],
      taken: async () =>
        (await scene.available(productId)) === 0 ? undefined : withdraw(scene, productId, 9),
      expected: [item],
      done: (isDry) => (isDry ? { wouldAdd: 1, badLineCount: 0 } : { added: 1, duplicates: 0 }),
      again: { added: 0, duplicates: 1 },
      faults: (isDry) => ({
        'not UTF-8': isDry ? { wouldAdd: 0, badLineCount: 1 } : /line 2 .*UTF-8/,
        'column missing': /column "Code" nowhere/,
        // Other columns are nobody's business.
        'column unknown': 'taken',
        'key twice': isDry ? { wouldAdd: 1, duplicateLines: [4] } : { added: 1, duplicates: 1 },
        empty: /empty/,
      }),
    };
  }

  const byApi: Way = async ({ path, column }, { saysCharset }, bytes, isDry) => {
    const query = new URLSearchParams({
      ...(isDry && { dryRun: 'true' }),
      ...(saysCharset && { charset: 'windows-1252' }),
      ...(column !== undefined && { column }),
    });
    const type = { 'content-type': 'text/csv' };
    const reply = await scene.operator.request('POST', `${path}?${query}`, type, new Uint8Array(bytes));
    const { message, ...fields } = JSON.parse(reply.text) as Fields;
    return reply.status < 300 ? fields : { refused: message };
  };

  const byCommand: Way = async ({ command, column }, { saysCharset }, bytes, isDry) => {
    const flags = [
      ...(isDry ? ['--dry-run'] : []),
      ...(saysCharset ? ['--charset', 'windows-1252'] : []),
      ...(column === undefined ? [] : ['--column', column]),
    ];
    const { operatorUrl, operatorToken } = scene.server;
    const env = { PURSER_OPERATOR_URL: operatorUrl, PURSER_OPERATOR_TOKEN: operatorToken };
    const stdin = Readable.from(bytes.length === 0 ? [] : [bytes]);
    const { exitCode, stdout, stderr } = await purser([...command, '-', '--json', ...flags], { env, stdin });
    const { message, ...fields } = JSON.parse(stdout) as Fields;
    const answer = fields.success === true ? fields : { refused: message };
    assert.equal(exitCode, isPassed(answer) ? 0 : 1, stderr);
    return answer;
  };

  const ways = { 'by API': byApi, 'by command': byCommand };
  const nouns = { products, prices, stock };
  for (const [way, send] of Object.entries(ways))
    for (const [name, stage] of Object.entries(nouns))
      test(`${name} ${way}: each file is taken or refused as a dry run said, and nothing is passed over`, async () => {
        for (const file of TABLE_FILES) {
          const noun = await stage();
          for (const isDry of [true, false]) {
            const said = file.fault === undefined ? 'taken' : noun.faults(isDry)[file.fault];
            const answer = await send(noun, file, file.bytes(noun.rows), isDry);
            assertSaid(answer, said, noun.done(isDry), `${file.name}${isDry ? ', dry run' : ''}`);
            const isTaken = !isDry && isPassed(answer);
            if (isTaken && said === 'taken')
              assertHas(await send(noun, file, file.bytes(noun.rows), false), noun.again, file.name);
            assert.deepEqual(await noun.taken(), isTaken ? noun.expected : undefined, file.name);
          }
        }
      });

  test('one table at a time is imported, and another is 429 at once', async () => {
    const { path, rows } = await products();
    const text = rows.map((cells) => `${cells.map((cell) => JSON.stringify(cell)).join()}\n`).join('');
    const begin = () =>
      openUpload(scene.operator, 'POST', `${path}?dryRun=true`, text.slice(0, 20), 'text/csv');
    let upload = begin();
    const second = () => scene.operator.request('POST', path, { 'content-type': 'text/csv' }, 'sku\n');
    let refused = await second();
    // The first one may come later, and be refused itself: then it begins anew.
    await eventually('the first import is under way', async () => {
      refused = await second();
      if (refused.status === 429) return true;
      await upload.end(text.slice(20));
      upload = begin();
      return false;
    });
    assertRefused(refused, 429, 'RATE_LIMITED');
    assert.match(refused.text, /Another table is being imported/);
    assert.equal(refused.headers.get('retry-after'), '5');
    assert.equal((await upload.end(text.slice(20))).status, 200);
    assertRefused(await second(), 400, 'BAD_REQUEST');
  });

  test('a table of more than 64 MiB is refused before it is read', async () => {
    const table = new Uint8Array(64 * 1024 * 1024 + 1).fill(0x0a);
    const refused = await scene.operator.request(
      'POST',
      '/products/import',
      { 'content-type': 'text/csv' },
      table,
    );
    assertRefused(refused, 400, 'BAD_REQUEST');
    assert.match(refused.text, /more than 67108864 bytes: send it in parts/);
  });

  test('100,000 lines of prices by command: each error is counted, the first are told', async () => {
    const lines = 100_000;
    const noun = await prices();
    const table = `sku,priceUsdt\n${'x,1\n'.repeat(lines)}`;
    const file = { name: '', bytes: () => Buffer.from(table) };
    const { errorCount, errors } = await byCommand(noun, file, file.bytes(), true);
    assert.deepEqual([errorCount, (errors as Fields[]).length], [lines, 100]);
  });
});

function isPassed({ refused, errorCount = 0 }: Fields): boolean {
  return refused === undefined && errorCount === 0;
}

function assertSaid(answer: Fields, said: RegExp | Fields | 'taken', done: Fields, why: string): void {
  if (said instanceof RegExp) return assert.match(String(answer.refused), said, why);
  if (said === 'taken') return assertHas(answer, done, why);
  const [first] = (answer.errors ?? []) as Fields[];
  assertHas({ ...answer, ...first }, said, why);
}

function assertHas(fields: Fields, wanted: Fields, why: string): void {
  assert.deepEqual({ ...fields, ...wanted }, fields, why);
}
