/**
 * Metrics are a contract: the table of docs/settings.md has each of them, with its type and labels, and the node shows all of
 * the table. The dashboard and the alert rules that are shipped name no other.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { parseMetrics, type ShownMetric, sumOf } from '../../support/metrics-text.ts';
import { ok } from '../../support/operator-client.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { known, Scene } from '../scene.ts';

const docs = join(repositoryRoot(), 'docs');
const ROW = /^\| `(\w+)` \| (counter|gauge|histogram) \|([^|]*)\| (.+) \|$/gm;
/** Metrics of the system for this process, which only Linux tells. */
const OF_LINUX = /^process_(open_fds|virtual_memory_bytes|heap_bytes)$/;
const MOST_PRODUCTS = 2;

interface Documented {
  readonly type: string;
  readonly labels: readonly string[];
}

function documented(): Map<string, Documented> {
  const guide = readFileSync(join(docs, 'settings.md'), 'utf8');
  const rows = Array.from(guide.matchAll(ROW), ([, name = '', type = '', cell = '']) => {
    const labels = Array.from(cell.matchAll(/`(\w+)`/g), ([, label = '']) => label);
    return [name, { type, labels }] as const;
  });
  assert.equal(new Set(rows.map(([name]) => name)).size, rows.length, 'a metric has one row');
  return new Map(rows);
}

describe('GET /metrics', { timeout: 120_000 }, () => {
  let backups: TemporaryFolder;
  let scene: Scene;
  let shown: Map<string, ShownMetric>;
  let text: string;

  before(async () => {
    backups = await createTemporaryFolder('metrics');
    scene = new Scene('node', {
      metricsProducts: String(MOST_PRODUCTS),
      logLevel: 'error',
      backup: join(backups.path, 'backup'),
      backupInterval: '100ms',
    });
    await scene.start();
    await causeEverything();
    text = (await scene.operator.request('GET', '/metrics', {})).text;
    shown = parseMetrics(text);
  });
  after(async () => {
    await scene.close();
    await backups.remove();
  });

  /** So that each metric has samples: a purchase, one at a supplier that isn't there, a drill of the backup. */
  async function causeEverything(): Promise<void> {
    const { operator } = scene;
    const gone = { name: 'Gone', url: 'http://127.0.0.1:1', secret: 'a secret for nobody' };
    const supplierId = known((await ok(operator.createSupplier(gone))).supplierId);
    const products = [
      await scene.product({ stock: 2 }),
      await scene.product({ supplierId, supplierSku: 'x' }),
      await scene.product(),
    ];
    const { apiKey } = await scene.buyer();
    const statuses: number[] = [];
    for (const productId of products.slice(0, 2)) {
      statuses.push((await scene.buy({ apiKey }, productId)).status);
    }
    assert.deepEqual(statuses, [201, 502]);
    await ok(operator.json('POST', '/backups/drill', {}));
    const read = async (path: string) => JSON.parse((await operator.json('GET', path)).text);
    await eventually('a drill has ended', async () => (await read('/backups/status')).drill !== null);
  }

  test('shows what the guide’s table has, and nothing else', () => {
    const isHere = (name: string) => process.platform === 'linux' || !OF_LINUX.test(name);
    const names = Array.from(documented().keys()).filter(isHere);
    assert.deepEqual(Array.from(shown.keys()).toSorted(), names.toSorted());
  });

  test('has the types and the labels of the table', () => {
    const table = documented();
    for (const [name, { type, samples }] of shown) {
      const row = table.get(name);
      assert.equal(type, row?.type, name);
      for (const { labels } of samples) {
        const named = Object.keys(labels).filter((label) => label !== 'le');
        assert.deepEqual(named.toSorted(), row?.labels.toSorted(), name);
      }
      // A node that is as young as this one may have had no sweep of its heap yet.
      if (name === 'nodejs_gc_duration_seconds') continue;
      // This node has its log alone; two-nodes.test.ts looks at those of a cluster.
      assert.equal(samples.length > 0, !name.startsWith('purser_cluster_'), name);
    }
  });

  test('the dashboard and the alert rules name metrics, and values of labels, that there are', () => {
    const requests = shown.get('purser_http_requests_total')?.samples ?? [];
    for (const file of ['grafana-dashboard.json', 'alert-rules.yml']) {
      const rules = readFileSync(join(docs, 'monitoring', file), 'utf8');
      const names = new Set(rules.match(/\b(?:purser|process|nodejs)_\w+/g));
      assert.ok(names.size > 10);
      for (const name of names) {
        const base = name.replace(/_(bucket|sum|count)$/, '');
        assert.ok(shown.has(name) || shown.get(base)?.type === 'histogram', `${name} in ${file}`);
      }
      for (const [said, label = '', value] of rules.matchAll(
        /\b(route|method|status|listener)=\\?"([^"\\]+)/g,
      )) {
        const isThere = requests.some(({ labels }) => labels[label] === value);
        assert.ok(isThere, `${said} in ${file}`);
      }
    }
  });

  test('has series of --metrics-products products, those with the lowest ids, and says how many it leaves out', () => {
    const sold = shown.get('purser_product_sold_units_total')?.samples.map(({ labels }) => labels.product);
    assert.deepEqual(sold, ['1', '2']);
    assert.equal(sumOf(text, 'purser_products_left_out'), 1);
    const fives = shown
      .get('purser_http_requests_total')
      ?.samples.filter(({ labels }) => labels.status === '5xx');
    assert.ok((fives?.length ?? 0) > 50, 'every route has a series of 500s before the first');
  });
});
