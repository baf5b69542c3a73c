/**
 * Clients that are generated from the buyers' document, by every generator that npm has: made, compiled with strict
 * types, and run against a real node; and against answers of a later version, with fields, a status, a code and an event
 * type that the document doesn't have.
 *
 * The generators are installed into `dist/generators`, without scripts of their own, and stay there until a version
 * changes: they are too heavy for every `npm ci`.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { eventually } from '../../support/eventually.ts';
import { QuietNode } from '../../support/nodes/quiet-node.ts';
import { ok } from '../../support/operator-client.ts';
import { ROOT } from './driver-process.ts';
import { GENERATORS, type Generator } from './generators.ts';

const FOLDER = join(ROOT, 'dist', 'generators');
/** No sources of the repository: they import what is generated. */
const PROGRAMS = join(ROOT, 'test', 'suites', 'clients', 'programs');
const INSTALL_MS = 300_000;
const COMPILER = {
  strict: true,
  noEmit: true,
  target: 'ES2022',
  module: 'ESNext',
  moduleResolution: 'Bundler',
  allowImportingTsExtensions: true,
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  types: [],
  skipLibCheck: true,
};

interface Shop {
  stocks(): Promise<(number | 'unlimited')[]>;
  buy(key: string, productId: number, expectedPriceUsdt: number): Promise<Record<string, unknown>>;
  status(orderId: number): Promise<string>;
  events(): Promise<string[]>;
}

describe('generated clients', { timeout: 900_000 }, () => {
  let node: QuietNode;
  let later: LaterVersion;
  let apiKey = '';
  let buyerUrl = '';
  /** Products with 42 and with no items, a file, and one that is delivered by hand. */
  let products: readonly number[] = [];

  before(async () => {
    install();
    node = await QuietNode.start('generators');
    const { operator } = node;
    const made = async (fields: object) =>
      (await ok(operator.json('POST', '/products', { priceUsdt: 3.5, ...fields }))).productId ??
      assert.fail();
    const [full, empty, file, manual] = [
      await made({ name: 'A' }),
      await made({ name: 'B' }),
      await made({ name: 'C', type: 'file' }),
      await made({ name: 'D', type: 'manual' }),
    ];
    await ok(
      operator.addStock(
        full,
        Array.from({ length: 42 }, (_, index) => `CODE-${index}`),
      ),
    );
    await ok(operator.setFile(file, Buffer.from('a file'), 'text/plain'));
    products = [full, empty, file, manual];
    const { accountId = 0 } = await ok(operator.createAccount({ name: 'generated' }));
    await ok(operator.credit(accountId, 1_000, 'all of it'));
    apiKey = (await ok(operator.issueKey(accountId))).apiKey ?? assert.fail('no key');
    const { text } = await node.buyers.raw('GET', '/openapi.json');
    writeFileSync(join(FOLDER, 'api.json'), text);
    copyFileSync(join(PROGRAMS, 'shop.ts.txt'), join(FOLDER, 'shop.ts'));
    buyerUrl = node.buyerUrl;
    later = await LaterVersion.start(buyerUrl);
  });
  after(async () => {
    await later?.stop();
    await node?.close();
  });

  let sold = 0;
  for (const generator of GENERATORS) {
    test(`${generator.name}: generated, compiled, run`, async () => {
      const program = await generated(generator);
      const [full = 0, , , manual = 0] = products;
      const shop: Shop = program.shop(buyerUrl, apiKey);
      const stocks = await shop.stocks();
      assert.deepEqual(stocks, [42 - sold, 0, 'unlimited', ...stocks.slice(3)]);

      const bought = await shop.buy(`${generator.name} 1`, full, 3.5);
      sold += 1;
      assert.deepEqual([bought.status, bought.totalPriceUsdt], ['completed', 3.5]);
      assert.match(String((bought.items as string[])[0]), /^CODE-/);
      const pending = await shop.buy(`${generator.name} 2`, manual, 3.5);
      assert.deepEqual([pending.status, pending.items], ['pending_delivery', undefined]);
      const refused = await shop.buy(`${generator.name} 3`, full, 1);
      assert.deepEqual(refused, { error: 'PRICE_CHANGED', currentPriceUsdt: 3.5 });
      assert.equal(await shop.status(Number(bought.orderId)), 'completed');
      const isTold = async () => (await shop.events()).includes('order.completed');
      await eventually('its event is told', isTold);

      const next: Shop = program.shop(later.url, apiKey);
      assert.deepEqual((await next.stocks()).slice(1, 3), [0, 'unlimited']);
      assert.equal(await next.status(Number(bought.orderId)), 'status_of_a_later_version');
      assert.equal((await next.events())[0], 'type.of_a_later_version');
      const error = await next.buy(`${generator.name} 4`, full, 1);
      assert.deepEqual(error, { error: 'CODE_OF_A_LATER_VERSION', currentPriceUsdt: 3.5 });
    });
  }
});

function install(): void {
  const dependencies = Object.assign({}, ...GENERATORS.map(({ packages }) => packages));
  // Nothing that reports an installation: see "overrides" of package.json.
  const overrides = { '@scarf/scarf': 'npm:ms@2.1.3' };
  const manifest = JSON.stringify({
    name: 'generators',
    private: true,
    type: 'module',
    dependencies,
    overrides,
  });
  const file = join(FOLDER, 'package.json');
  const isThere = existsSync(join(FOLDER, 'node_modules', '.package-lock.json'));
  if (isThere && readFileSync(file, 'utf8') === manifest) return;
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, manifest);
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  const { status, stderr } = spawnSync('npm', args, { cwd: FOLDER, encoding: 'utf8', timeout: INSTALL_MS });
  assert.equal(status, 0, `the generators can't be installed from npm: ${stderr}`);
}

async function generated({ command, files = {} }: Generator) {
  const [script, ...args] = command;
  for (const [file, text] of Object.entries(files)) writeFileSync(join(FOLDER, file), text);
  const env = { ...process.env, DO_NOT_TRACK: '1', CI: '1', KUBB_DISABLE_TELEMETRY: '1' };
  const options = { cwd: FOLDER, env, encoding: 'utf8', timeout: 120_000 } as const;
  const made = spawnSync(join(FOLDER, 'node_modules', '.bin', script), args, options);
  assert.equal(made.status, 0, made.stdout + made.stderr);
  const main = join(FOLDER, `${script}.main.ts`);
  copyFileSync(join(PROGRAMS, `${script}.ts.txt`), main);
  const config = join(FOLDER, `${script}.tsconfig.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions: COMPILER, files: [`${script}.main.ts`] }));
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const compiled = spawnSync(process.execPath, [compiler, '--project', config], options);
  assert.equal(compiled.status, 0, compiled.stdout);
  const outfile = join(FOLDER, `${script}.bundle.mjs`);
  await build({
    entryPoints: [main],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    logLevel: 'silent',
  });
  return await import(pathToFileURL(outfile).href);
}

/** The node's answers as those of a later version might be. */
class LaterVersion {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(buyerUrl: string): Promise<LaterVersion> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const {
        'x-api-key': key = '',
        'idempotency-key': idempotencyKey,
        'content-type': type,
      } = request.headers;
      const answer = await fetch(buyerUrl + request.url, {
        method: request.method ?? 'GET',
        headers: {
          'x-api-key': String(key),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': String(idempotencyKey) }),
          ...(type === undefined ? {} : { 'content-type': type }),
        },
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      });
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(laterBody((await answer.json()) as Record<string, unknown>)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new LaterVersion(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function laterBody(body: Record<string, unknown>): object {
  const news = { fieldOfALaterVersion: { is: ['new'] } };
  const products = body.products as readonly object[] | undefined;
  const events = body.events as readonly object[] | undefined;
  return {
    ...body,
    ...news,
    ...(body.status === undefined ? {} : { status: 'status_of_a_later_version' }),
    ...(body.error === undefined ? {} : { error: 'CODE_OF_A_LATER_VERSION' }),
    ...(products && { products: products.map((product) => ({ ...product, ...news, type: 'later' })) }),
    ...(events && {
      events: events.map((event) => ({ ...event, ...news, type: 'type.of_a_later_version' })),
    }),
  };
}
