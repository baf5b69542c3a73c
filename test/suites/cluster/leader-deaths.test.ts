/**
 * The leader is killed between two steps that belong together, and a follower leads: between texts and the fact that names
 * them, amid the texts of an upload, in a hold at a supplier. No text is missing, none is sold twice, and what was
 * interrupted has happened as a whole or not at all.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { ReferenceSupplier } from '../../../examples/supplier/reference-supplier.ts';
import { type EntryKind, KINDS } from '../../../src/cluster/shared-table.ts';
import { eventually } from '../../support/eventually.ts';
import { ClusterShop } from '../../support/nodes/cluster-shop.ts';
import { ok } from '../../support/operator-client.ts';
import { PostgresRig, whyNoRig } from '../../support/servers/postgres-rig.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { type Attempt, PRICE_USDT, type Stage, SupplierShop } from '../crash/shop/supplier-shop.ts';

const NODES = ['a', 'b'];
const START_USDT = 1_000;
/** The items of an upload whose texts take several entries of the log. */
const UPLOADED = 8_000;
const TEXTS = KINDS.indexOf('texts');
const IS_AT_GATE = `query LIKE 'INSERT INTO purser_log%' AND wait_event = 'PgSleep'`;

describe('a leader that dies', { skip: (await whyNoRig()) ?? false }, () => {
  let rig: PostgresRig;
  let place: TemporaryFolder;
  let nodes: ClusterShop;
  let supplier: ReferenceSupplier;
  let stage: Stage;
  /** By their type, or by what the supplier calls them. */
  let productIds: Map<string, number>;
  /** The sum that the tests before were charged, in USDT. */
  let chargedUsdt = 0;

  before(async () => {
    [rig, place] = await Promise.all([PostgresRig.start(), createTemporaryFolder('deaths')]);
    supplier = await ReferenceSupplier.start('a secret of the supplier');
    const flags = ['--supplier-timeout', '10s', '--supplier-poll', '50ms'];
    nodes = new ClusterShop({ folder: place.path, url: rig.url, flags });
    await nodes.begin(NODES, async (process) => {
      const alone = new SupplierShop(process);
      stage = await alone.setStage(supplier, ['codes'], START_USDT);
      productIds = new Map(stage.productIds);
      const product = { name: 'standard', type: 'standard', priceUsdt: PRICE_USDT };
      productIds.set('standard', (await ok(alone.operator.createProduct(product))).productId ?? 0);
    });
  });
  after(async () => {
    await nodes?.close();
    await Promise.all([rig?.close(), place?.remove(), supplier?.stop()]);
  });
  afterEach(async () => {
    for (const node of NODES) if (!nodes.running.has(node)) await nodes.start(node);
    await nodes.level();
  });

  const product = (name: string) => productIds.get(name) ?? 0;

  async function leader(): Promise<{ name: string; shop: SupplierShop }> {
    const name = await nodes.leader();
    return { name, shop: new SupplierShop(nodes.running.get(name) ?? assert.fail()) };
  }

  /** Has `begin` come to the gate, and kills the leader there. Resolves with the shop that another one leads. */
  async function killAtGate(
    kind: 'facts' | 'texts',
    isWritten: boolean,
    begin: (shop: SupplierShop) => Promise<unknown>,
  ): Promise<SupplierShop> {
    const { name, shop } = await leader();
    const gate = await LogGate.shut(rig, kind);
    const begun = assert.rejects(begin(shop));
    await gate.reached();
    await nodes.kill(name);
    await begun;
    await (isWritten ? gate.open() : gate.breakOff());
    return (await leader()).shop;
  }

  /** The texts for sale of the product, which are taken off sale by this. */
  async function take({ operator }: SupplierShop, name: string): Promise<string[]> {
    return [...((await ok(operator.withdrawStock(product(name), 10_000))).items ?? [])];
  }

  const uploads = [
    { where: 'amid the texts of an upload', kind: 'texts', isWritten: false },
    { where: 'between the texts of an upload and its fact', kind: 'facts', isWritten: false },
    { where: 'when the fact of an upload is under way, and arrives', kind: 'facts', isWritten: true },
  ] as const;
  for (const { where, kind, isWritten } of uploads) {
    test(`${where}: it has added ${isWritten ? 'all' : 'nothing'}, and can be sent again`, async () => {
      const items = Array.from({ length: UPLOADED }, (_, index) => `${where} ${index} ${'x'.repeat(40)}`);
      const send = ({ operator }: SupplierShop) => operator.addStock(product('standard'), items.join('\n'));
      const shop = await killAtGate(kind, isWritten, send);
      const { added, duplicates } = await ok(send(shop));
      assert.deepEqual([added, duplicates], isWritten ? [0, UPLOADED] : [UPLOADED, 0]);
      assert.deepEqual(await take(shop, 'standard'), items);
    });
  }

  test('between what a supplier has delivered and its fact: the order has it, once', async () => {
    const attempt: Attempt = { key: 'delivered', sku: 'codes', productId: product('codes') };
    const shop = await killAtGate('facts', false, (dying) => dying.buy(stage, attempt));
    const { orderId = 0 } = (await shop.buy(stage, attempt)).body;
    await eventually('it is delivered', async () => {
      return (await ok(shop.operator.getOrder(orderId))).status === 'completed';
    });
    const { delivery } = await ok(shop.operator.getOrder(orderId));
    assert.deepEqual(delivery?.items, [...supplier.purchases.values()].at(-1)?.items);
    assert.deepEqual(await take(shop, 'codes'), []);
    chargedUsdt += 2 * PRICE_USDT;
    await expectBalance(shop);
  });

  test('in a hold: it is released, the key says that its outcome is unknown, and what was sold is own stock', async () => {
    const attempt: Attempt = { key: 'in a hold', sku: 'codes', productId: product('codes') };
    const { name, shop: dying } = await leader();
    const sold = new Promise<void>((resolve) => {
      supplier.onStep = (step) => {
        if (step !== 'sold') return;
        process.kill(dying.server.pid, 'SIGKILL');
        resolve();
      };
    });
    await Promise.all([assert.rejects(dying.buy(stage, attempt)), sold]);
    supplier.onStep = () => undefined;
    await nodes.kill(name);
    const { shop } = await leader();
    for (const _ of ['first', 'again']) {
      const { body } = await shop.buy(stage, attempt);
      assert.equal(body.error, 'IDEMPOTENCY_UNRESOLVED');
    }
    await expectBalance(shop);
    await eventually('the supplier has told', async () => (await shop.openSupplierPurchases()).length === 0);
    assert.deepEqual(await take(shop, 'codes'), [...supplier.purchases.values()].at(-1)?.items);
  });

  test('all folders have the same state, and are what the log says', async () => {
    await nodes.verify();
  });

  async function expectBalance({ operator }: SupplierShop): Promise<void> {
    const { balanceUsdt, heldUsdt } = await ok(operator.getAccount(stage.accountId));
    assert.deepEqual([balanceUsdt, heldUsdt], [START_USDT - chargedUsdt, 0]);
  }
});

/**
 * A gate in the shared log: the next entry of a kind that follows new texts is under way, at its place, until the gate is
 * opened or the one who wrote the entry is cut off. So a leader can be killed at a step that takes a millisecond.
 */
class LogGate {
  readonly #rig: PostgresRig;
  readonly #primary: number;

  private constructor(rig: PostgresRig, primary: number) {
    this.#rig = rig;
    this.#primary = primary;
  }

  static async shut(rig: PostgresRig, kind: EntryKind): Promise<LogGate> {
    const gate = new LogGate(rig, await rig.primary());
    await gate.#ask(`
      CREATE TABLE purser_test_gate AS SELECT max(entry) AS newest FROM purser_log;
      CREATE FUNCTION purser_test_wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT FROM purser_log, purser_test_gate
          WHERE entry > newest AND entry < NEW.entry AND kind = ${TEXTS}) THEN
          WHILE EXISTS (SELECT FROM purser_test_gate) LOOP PERFORM pg_sleep(0.005); END LOOP;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER purser_test_gate AFTER INSERT ON purser_log FOR EACH ROW
        WHEN (NEW.kind = ${KINDS.indexOf(kind)}) EXECUTE FUNCTION purser_test_wait()`);
    return gate;
  }

  async reached(): Promise<void> {
    await eventually('an entry is at the gate', async () => {
      const [row] = await this.#ask(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE ${IS_AT_GATE}`,
      );
      return row?.waiting === 1;
    });
  }

  async breakOff(): Promise<void> {
    await this.#ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${IS_AT_GATE}`);
    await this.open();
  }

  async open(): Promise<void> {
    await this.#ask('DELETE FROM purser_test_gate');
    await this.#ask('DROP TRIGGER purser_test_gate ON purser_log');
    await this.#ask('DROP FUNCTION purser_test_wait; DROP TABLE purser_test_gate');
  }

  #ask(text: string): Promise<Record<string, unknown>[]> {
    return this.#rig.ask(this.#primary, text);
  }
}
