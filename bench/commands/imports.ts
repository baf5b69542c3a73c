/**
 * What the import of a long table takes, and what it costs others: purchases come at a fixed rate, in an open loop, from
 * before each import until it has its answer, and before each they are measured without.
 *
 * The targets are for 100,000 lines: 60 s, and a p99 of purchases meanwhile of at most twice what it is without. Every
 * purchase is audited, and each import must have done what it was sent for.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { MAX_PRODUCTS } from '../../src/engine/limits.ts';
import { LoadGenerator } from '../load/load-generator.ts';
import { median } from '../measure/statistics.ts';
import { textTable } from '../measure/text-table.ts';
import type { WindowShape } from '../scenarios/scenarios.ts';
import { Stage } from '../shop/stage.ts';
import { Violations } from '../shop/violations.ts';
import { catalog } from '../shop/world.ts';
import type { RunningNode, StartNode } from '../systems/running-node.ts';
import { mostPerSecond, wholeNumber } from './contention-options.ts';

export interface ImportsFlags {
  readonly lines?: string;
  readonly rate?: string;
  readonly rounds?: string;
}

interface Environment {
  readonly startNode: StartNode;
  readonly folder: string;
  readonly print: (text: string) => void;
  readonly progress: (line: string) => void;
}

interface Import {
  readonly name: string;
  readonly path: string;
  readonly table: string;
  /** How many lines are created, updated and unchanged. */
  readonly counts: readonly [created: number, updated: number, unchanged: number];
}

interface Measured {
  readonly seconds: number;
  readonly p99Ms: number;
}

/** An import, and the window without it just before: others' work on the machine comes and goes. */
interface Pair extends Measured {
  readonly quietMs: number;
  readonly ratio: number;
}

const CONNECTIONS = 64;
const CUSTOMERS = 100;
const WARMUP_MS = 1_000;
const QUIET_MS = 5_000;
/** Ends a window that nobody has ended. */
const LONGEST_MS = 10 * 60_000;
/** All imports of a round last so long at most, or the stock ends. */
const STOCKED_MS = 3 * 60_000;
/** Of the products that a node holds at most, some are those that are bought. */
const MOST_LINES = MAX_PRODUCTS - 200;

/** Resolves true when every acknowledged purchase held and every import did what it should. */
export async function runImports(flags: ImportsFlags, environment: Environment): Promise<boolean> {
  const lines = wholeNumber('--lines', flags.lines ?? String(MOST_LINES), 1, MOST_LINES);
  const rate = wholeNumber('--rate', flags.rate ?? '1000', 1, mostPerSecond);
  const rounds = wholeNumber('--rounds', flags.rounds ?? '3', 1, 100);
  const { folder, startNode, print, progress } = environment;
  const violations = new Violations();
  const generator = LoadGenerator.start(1);
  const figures = new Map<string, Pair[]>();
  try {
    for (let round = 1; round <= rounds; round += 1) {
      // A node of its own, for products are created once.
      const node = await startNode(`${folder}/round-${round}`);
      try {
        const stage = await Stage.open(node, generator, { seed: round, violations, customers: CUSTOMERS });
        const { priceListId } = await call(node, '/price-lists', 'application/json', '{"name":"a"}');
        for (const { name, path, table, counts } of importsOf(lines, Number(priceListId))) {
          const quiet = await beside(stage, generator, rate, () => delay(QUIET_MS));
          const measured = await beside(stage, generator, rate, async () => {
            const { created, updated, unchanged, errorCount } = await call(node, path, 'text/csv', table);
            assert.deepEqual([created, updated, unchanged, errorCount], [...counts, 0], name);
          });
          const pair = { ...measured, quietMs: quiet.p99Ms, ratio: measured.p99Ms / quiet.p99Ms };
          figures.set(name, [...(figures.get(name) ?? []), pair]);
          progress(`round ${round}, ${name}: ${cellsOf([pair]).join('  ')}`);
        }
        await stage.compare();
        await node.stop();
      } finally {
        await node.kill();
      }
    }
  } finally {
    await generator.stop();
  }
  const rows = [...figures].map(([name, pairs]) => [name, ...cellsOf(pairs)]);
  const head = [`${lines} lines, ${rate} purchases/s`, 's', 'p99 ms', 'without', 'ratio', 'least', 'most'];
  print(textTable(head, rows));
  print(`check: ${violations.count} violations\n${violations.lines().join('\n')}`);
  return violations.count === 0;
}

/** In order: each leaves the shop as the next one needs it. */
function importsOf(lines: number, priceListId: number): readonly Import[] {
  const products = '/products/import';
  const prices = `/price-lists/${priceListId}/import`;
  const text = 'What it is for, "quoted" too, and how long it lasts. ';
  const table = (head: string, line: (sku: string, at: number) => string) =>
    `${head}\n${Array.from({ length: lines }, (_, at) => line(`sku-${at}`, at)).join('\n')}\n`;
  const quoted = `"${text.repeat(3).replaceAll('"', '""')}"`;
  const productTable = (price: number) =>
    table(
      'sku,name,priceUsdt,description,category',
      (sku, at) => `${sku},Product ${at},${price},${quoted},Category ${at % 50}`,
    );
  const priceTable = table('sku,priceUsdt', (sku, at) => `${sku},${(at % 900) + 1}.25`);
  const [made, changed] = [productTable(9), productTable(8)];
  const dry = '?dryRun=true';
  return [
    { name: 'products, created, dry run', path: products + dry, table: made, counts: [lines, 0, 0] },
    { name: 'products, created', path: products, table: made, counts: [lines, 0, 0] },
    { name: 'products, unchanged', path: products, table: made, counts: [0, 0, lines] },
    { name: 'products, changed, dry run', path: products + dry, table: changed, counts: [0, lines, 0] },
    { name: 'products, changed', path: products, table: changed, counts: [0, lines, 0] },
    { name: 'prices, dry run', path: prices + dry, table: priceTable, counts: [lines, 0, 0] },
    { name: 'prices', path: prices, table: priceTable, counts: [lines, 0, 0] },
  ];
}

/** Purchases from before `work` until it has ended. */
async function beside(
  stage: Stage,
  generator: LoadGenerator,
  perSecond: number,
  work: () => Promise<void>,
): Promise<Measured> {
  const plan = { name: 'buyers', connections: CONNECTIONS, choice: 'random', copies: 1 } as const;
  const lane = { ...plan, products: catalog, accounts: stage.world.customers, perSecond };
  const span = { kind: 'timed', warmupMs: WARMUP_MS, measureMs: LONGEST_MS } as const;
  const shape: WindowShape = { lanes: [{ plan: lane, refusals: [] }], span };
  await stage.stockUp(catalog, (perSecond * STOCKED_MS) / 1_000);
  const load = await stage.begin('imports', shape, generator);
  const beganMs = performance.now();
  await work();
  const seconds = (performance.now() - beganMs) / 1_000;
  const [measured] = (await load.end()).load.lanes;
  if (measured === undefined) throw new Error('a window without a measurement');
  return { seconds, p99Ms: measured.latency.getValueAtPercentile(99) / 1_000 };
}

async function call(
  { operatorUrl, operatorToken }: RunningNode,
  path: string,
  type: string,
  body: string,
): Promise<Readonly<Record<string, unknown>>> {
  const reply = await fetch(`${operatorUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': type },
    body,
  });
  const answer = (await reply.json()) as Readonly<Record<string, unknown>>;
  assert.ok(reply.ok, JSON.stringify(answer));
  return answer;
}

/** Medians over rounds. */
function cellsOf(pairs: readonly Pair[]): string[] {
  const of = (field: keyof Pair) => median(pairs.map((pair) => pair[field]));
  const ratios = pairs.map(({ ratio }) => ratio);
  return [
    of('seconds').toFixed(1),
    of('p99Ms').toFixed(2),
    of('quietMs').toFixed(2),
    of('ratio').toFixed(2),
    Math.min(...ratios).toFixed(2),
    Math.max(...ratios).toFixed(2),
  ];
}
