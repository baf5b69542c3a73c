/**
 * Statements, the money report and the audit of some days of random traffic, over real HTTP, against an outside ledger:
 * any period, any page; after folds that end anywhere, and after a restart byte by byte the same.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { textCell } from '../../../src/http/operator/csv-text.ts';
import type { PurserNode } from '../../../src/node/node.ts';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { copyFolder } from '../../suites/crash/damage/damage.ts';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import { csvRows } from '../../support/csv-rows.ts';
import { startInProcess } from '../../support/nodes/node-in-process.ts';
import type { OperatorClient } from '../../support/operator-client.ts';
import { randomFromEnvironment } from '../../support/random.ts';
import { changeRow, rowsOfCheckpoint } from '../../support/rewritten-checkpoint.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import {
  type Body,
  entryOf,
  expectedStatement,
  isIn,
  NAMES,
  rowsBy,
  sumsOf,
  usdt,
} from './expected-money.ts';
import { ACCOUNTS, type MoneyScene, makeMoneyScene } from './money-scene.ts';
import { randomDays, randomPeriod, ZONES } from './random-periods.ts';

const TOKEN = 'the-token-of-this-test';
const STEPS = 400;
const random = randomFromEnvironment();
let folder: TemporaryFolder;
let scene: MoneyScene;
let node: PurserNode;
let operator: OperatorClient;

describe('money', () => {
  before(async () => {
    folder = await createTemporaryFolder('money');
    scene = await makeMoneyScene(folder.path, random, STEPS);
    await start();
  });
  after(async () => {
    await node.stop();
    assert.ok(await verifyDataFolder(folder.path, () => {}), `seed ${random.seed}`);
    await folder.remove();
  });

  async function start(): Promise<void> {
    const env = { PURSER_OPERATOR_TOKEN: TOKEN };
    node = await startInProcess({ data: folder.path, transport: 'node' }, { env });
    operator = new CheckedOperatorClient(node.operatorUrl, TOKEN);
  }

  async function get(path: string, query: Readonly<Record<string, unknown>> = {}): Promise<Body> {
    const { status, text } = await operator.json('GET', `${path}?${queryOf(query)}`);
    assert.equal(status, 200, `${path} ${JSON.stringify(query)}: ${text}, seed ${random.seed}`);
    return JSON.parse(text) as Body;
  }

  async function csv(accountId: number, period: Readonly<Record<string, unknown>>): Promise<string> {
    const path = `/accounts/${accountId}/statement?${queryOf({ ...period })}`;
    const { status, text, headers } = await operator.request('GET', path, { accept: 'text/csv' });
    assert.equal(status, 200, text);
    assert.match(headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/);
    return text;
  }

  function queryOf(query: Readonly<Record<string, unknown>>): URLSearchParams {
    return new URLSearchParams(
      Object.entries(query).map(([field, value]) => [field, String(value)] as [string, string]),
    );
  }

  /** All rows under `name`, page by page; the first page has what else there is. */
  async function pages(path: string, name: string, query: Readonly<Record<string, unknown>>) {
    const rows: Body[] = [];
    const limit = random.between(1, 60);
    let first: Body | undefined;
    let cursor: Body = {};
    do {
      const page = await get(path, { ...query, ...cursor, limit });
      first ??= page;
      assert.ok((page[name] as Body[]).length <= limit);
      rows.push(...(page[name] as Body[]));
      cursor = page.nextCursor === undefined ? {} : { cursor: page.nextCursor };
    } while ('cursor' in cursor);
    return { first, rows };
  }

  async function assertReportIsLedger(): Promise<void> {
    const { ledger } = await get('/status');
    const { depositsUsdt, salesUsdt, refundsUsdt, heldUsdt, walletsUsdt } = await get('/reports/money');
    const revenueUsdt = usdt(Math.round(Number(salesUsdt) * 1e6) - Math.round(Number(refundsUsdt) * 1e6));
    assert.deepEqual({ walletsUsdt, heldUsdt, revenueUsdt, depositsUsdt: -Number(depositsUsdt) }, ledger);
  }

  describe('the money of some days, against an outside ledger', () => {
    test('a statement has each movement of the period, and opening and closing balance', async () => {
      for (let round = 0; round < 8; round += 1) {
        const accountId = random.between(1, ACCOUNTS);
        const period = randomPeriod(random, scene);
        const expected = expectedStatement(scene, accountId, period);
        const { first, rows } = await pages(`/accounts/${accountId}/statement`, 'movements', { ...period });
        const { openingUsdt, closingUsdt, timeZone, position } = first;
        assert.equal(timeZone, 'UTC');
        const seed = `seed ${random.seed}, account ${accountId}, ${JSON.stringify(period)}`;
        assert.deepEqual({ openingUsdt, closingUsdt, position, movements: rows }, expected, seed);
      }
    });

    test('a statement of days of a zone has what moved in them, and as CSV the times of its clocks', async () => {
      for (const zone of ZONES) {
        const accountId = random.between(1, ACCOUNTS);
        const { query, period } = randomDays(random, scene, zone);
        const expected = expectedStatement(scene, accountId, period);
        const { first, rows } = await pages(`/accounts/${accountId}/statement`, 'movements', query);
        const { openingUsdt, closingUsdt, timeZone, position } = first;
        const seed = `seed ${random.seed}, account ${accountId}, ${zone}, ${JSON.stringify(query)}`;
        assert.equal(timeZone, zone, seed);
        assert.deepEqual({ openingUsdt, closingUsdt, position, movements: rows }, expected, seed);
        const [, ...lines] = csvRows(await csv(accountId, query));
        for (const [at, [, text = '', ...cells]] of lines.entries()) {
          assert.deepEqual([Date.parse(text), cells.at(-1)], [rows[at]?.at, zone], seed);
          const shown = new Date(text.replace(/[+-]\d\d:\d\d$/, 'Z')).toLocaleString('en', {
            timeZone: 'UTC',
          });
          assert.equal(shown, new Date(text).toLocaleString('en', { timeZone: zone }), seed);
        }
        assert.equal(lines.length, rows.length, seed);
      }
    });

    test('a statement as CSV says the same, and runs nothing in a spreadsheet', async () => {
      for (let accountId = 1; accountId <= ACCOUNTS; accountId += 1) {
        const period = randomPeriod(random, scene);
        const [head, ...rows] = csvRows(await csv(accountId, { ...period }));
        const columns = 'seq at kind amountUsdt balanceUsdt orderId reference operator reason timeZone'.split(
          ' ',
        );
        assert.deepEqual(head, columns);
        const expected = expectedStatement(scene, accountId, period).movements.map((movement) =>
          columns.map((column) => {
            const value = movement[column];
            if (column === 'at') return new Date(Number(value)).toISOString();
            if (column === 'timeZone') return 'UTC';
            return typeof value === 'string'
              ? textCell(value, 'plain')
                  .replace(/^"([\s\S]*)"$/, '$1')
                  .replaceAll('""', '"')
              : String(value ?? '');
          }),
        );
        assert.deepEqual(rows, expected, `seed ${random.seed}`);
      }
    });

    test('a statement for spreadsheets begins with a mark, and has the same columns and rows', async () => {
      const path = '/accounts/1/statement';
      const asked = { accept: 'text/csv' };
      const { text, status } = await operator.request('GET', `${path}?excel=true`, asked);
      assert.deepEqual([status, text.slice(0, 7)], [200, '\ufeffseq,at']);
      const cells = (body: string) => csvRows(body).map((row) => row.slice(0, 6));
      assert.deepEqual(cells(text.slice(1)), cells(await csv(1, {})));
      for (const [query, headers] of [
        ['excel=true', {}],
        ['excel=yes', asked],
      ] as const)
        assert.equal((await operator.request('GET', `${path}?${query}`, headers)).status, 400, query);
    });

    test('the report sums any period up, and its rows by day, product and account', async () => {
      for (let round = 0; round < 8; round += 1) {
        const period = randomPeriod(random, scene);
        const by = random.pick(['day', 'product', 'account', 'productId', 'accountId']);
        const lines = scene.lines.filter(({ at }) => isIn(period, at));
        const { first, rows } = await pages('/reports/money', 'rows', { ...period, by });
        const { success: _, requestId: __, rows: ___, nextCursor: ____, timeZone, ...sums } = first;
        assert.equal(timeZone, 'UTC');
        const seed = `seed ${random.seed}, by ${by}, ${JSON.stringify(period)}`;
        assert.deepEqual(sums, sumsOf(lines), seed);
        assert.deepEqual(rows, rowsBy(by, lines, 'UTC'), seed);
      }
    });

    test('days of a zone are summed up as its clocks show them, of 23 and 25 hours too, and so is any period', async () => {
      for (const zone of ZONES) {
        for (const by of ['day', random.pick(['product', 'account'])]) {
          const { query, period } = random.chance(0.7)
            ? randomDays(random, scene, zone)
            : { query: { timeZone: zone }, period: randomPeriod(random, scene) };
          const lines = scene.lines.filter(({ at }) => isIn(period, at));
          const { first, rows } = await pages('/reports/money', 'rows', { ...period, ...query, by });
          const { success: _, requestId: __, rows: ___, nextCursor: ____, timeZone, ...sums } = first;
          const seed = `seed ${random.seed}, by ${by}, ${zone}, ${JSON.stringify({ ...period, ...query })}`;
          assert.equal(timeZone, zone, seed);
          assert.deepEqual(sums, sumsOf(lines), seed);
          assert.deepEqual(rows, rowsBy(by, lines, zone), seed);
        }
      }
    });

    test('over all time the report is the ledger', () => assertReportIsLedger());

    test('the audit has what operators did, newest first, by any of its filters', async () => {
      for (let round = 0; round < 12; round += 1) {
        const period = randomPeriod(random, scene);
        const name = random.chance(0.5) ? random.pick(NAMES) : undefined;
        const accountId = random.chance(0.5) ? random.between(1, ACCOUNTS) : undefined;
        const filter = { ...(name && { operator: name }), ...(accountId && { accountId }) };
        const expected = scene.facts
          .map((fact, index) => ({ fact, entry: entryOf(fact, index + 1) }))
          .filter(
            ({ fact, entry }) => fact.origin?.operatorId !== undefined && isIn(period, Number(entry.at)),
          )
          .filter(({ entry }) => name === undefined || entry.operator === name)
          .filter(({ entry }) => accountId === undefined || entry.accountId === accountId)
          .map(({ entry }) => entry)
          .reverse();
        const { rows } = await pages('/audit', 'entries', { ...period, ...filter });
        assert.deepEqual(rows, expected, `seed ${random.seed}, ${JSON.stringify({ ...period, ...filter })}`);
      }
    });

    test('after a restart and more traffic, what has ended is byte by byte the same', async () => {
      const to = (scene.facts.at(-1)?.atMs ?? 0) + 1;
      const paths = ['/accounts/1/statement', '/accounts/2/statement', '/reports/money', '/audit'];
      const read = async () => [
        await csv(1, { to }),
        ...(await Promise.all(paths.map(async (path) => ({ ...(await get(path, { to })), requestId: '' })))),
      ];
      const was = await read();
      const credit = await operator.credit(1, 7.25, 'later');
      assert.equal(credit.status, 201);
      assert.deepEqual(await read(), was);
      // A period that goes on is summed up anew.
      await assertReportIsLedger();
      await node.stop();
      await start();
      assert.deepEqual(await read(), was);
      const { movements } = await get('/accounts/1/statement', { from: to });
      const [{ kind, amountUsdt, reference, operator: who } = {} as Body] = movements as Body[];
      assert.deepEqual([kind, amountUsdt, reference, who], ['credit', 7.25, 'later', 'root']);
    });
  });

  test('verify finds a row that is gone from the checkpoint: a movement, a sum of a day, a line of the audit', async () => {
    await node.stop();
    for (const table of ['movements', 'quarterSums', 'accountDaySums', 'audit'] as const) {
      const { path, remove } = await createTemporaryFolder('money-damaged');
      copyFolder(folder.path, path);
      const { a, b } = random.pick(rowsOfCheckpoint(path).filter((row) => row.table === table));
      changeRow(path, { table, a, b });
      const lines: string[] = [];
      assert.equal(await verifyDataFolder(path, (line) => lines.push(line)), false, `seed ${random.seed}`);
      assert.ok(lines.at(-1)?.includes(`of ${table} is missing`), lines.at(-1));
      await remove();
    }
    await start();
  });

  describe('what is asked wrongly', () => {
    const cursor = 'cursor must be the nextCursor';
    const wrong = [
      ['/accounts/1/statement?cursor=7', cursor],
      ['/accounts/1/statement?cursor=1729863420123-999999', cursor],
      ['/reports/money?cursor=5-6', cursor],
      ['/accounts/1/statement?until=2026-01-01', 'field that is not known'],
      ['/reports/money?timeZone=Mars/Base', 'timeZone is "Mars/Base"'],
      ['/accounts/1/statement?timeZone=%2B05:30', 'timeZone is "+05:30"'],
      ['/audit?timeZone=Europe/Berlin', 'field that is not known'],
      ['/reports/money?by=week', 'by must be day, product or account'],
      ['/feed?from=4000000000000', 'from must not be in the future'],
      ['/audit?operator=nobody', 'There is no operator'],
      ['/audit?accountId=x', 'accountId must be an id'],
    ] as const;
    test('is answered 400, and what to do; an account that is not there is 404', async () => {
      for (const [path, says] of wrong) {
        const { status, body } = await operator.json('GET', path);
        assert.equal(status, 400, path);
        assert.ok(body.message?.includes(says), body.message);
      }
      assert.equal((await operator.json('GET', '/accounts/99/statement')).status, 404);
      const { nextCursor } = await get('/accounts/1/statement', { limit: 3 });
      const others = `/accounts/2/statement?cursor=${nextCursor}`;
      assert.equal((await operator.json('GET', others)).status, 400, 'of another account');
      const path = '/accounts/1/statement?cursor=1-1';
      assert.equal((await operator.request('GET', path, { accept: 'text/csv' })).status, 400);
    });
  });
});
