/**
 * A disk that fills right after a group of commands became durable: their answers leave all the same, whole, whatever
 * becomes of the group behind them. One that was answered 500 instead would be done twice by whoever tries again, and
 * the items of a withdrawal would be nobody's.
 */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { Fact } from '../../../src/engine/fact.ts';
import { Engine } from '../../../src/engine/loop/engine.ts';
import { JournalFullError } from '../../../src/engine/loop/journal.ts';
import { RequestContext } from '../../../src/http/request-context.ts';
import { JournalWriter } from '../../../src/persistence/journal/journal-writer.ts';
import type { BuyerReply } from '../../support/buyer-client.ts';
import { eventually } from '../../support/eventually.ts';
import { QuietNode } from '../../support/nodes/quiet-node.ts';
import { type OperatorReply, ok } from '../../support/operator-client.ts';

const KEY = 'a purchase';

/** Work before each of the next groups is written, the first first. When it throws, the group isn't written. */
const beforeGroups: (() => Promise<void>)[] = [];
/**
 * The engine of the node that runs, once a command has come: facts that aren't durable yet can be seen nowhere else.
 */
let engine: Engine | undefined;

const { append } = JournalWriter.prototype;
mock.method(
  JournalWriter.prototype,
  'append',
  async function (this: JournalWriter, firstSequence: number, facts: readonly Fact[]): Promise<void> {
    await beforeGroups.shift()?.();
    return append.call(this, firstSequence, facts);
  },
);
const { submit } = Engine.prototype;
mock.method(Engine.prototype, 'submit', function (this: Engine, ...command: Parameters<typeof submit>): void {
  engine = this;
  submit.apply(this, command);
});

/** Answers that the end of the node waits for. */
const kept = new Set<Promise<void>>();
const { keep } = RequestContext.prototype;
mock.method(RequestContext.prototype, 'keep', function (this: RequestContext, done: Promise<void>): void {
  kept.add(done);
  void done.finally(() => kept.delete(done));
  keep.call(this, done);
});

const held: (() => void)[] = [];

/** The next group waits until it is told to go on. */
function holdGroup(): () => void {
  let goOn = () => {};
  const told = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  held.push(goOn);
  beforeGroups.push(() => told);
  return goOn;
}

/** Rows that the cases are about: to each its own, so that all of them fit in one group. */
async function prepare({ operator }: QuietNode) {
  const account = async (name: string) => (await ok(operator.createAccount({ name }))).accountId ?? 0;
  const product = async (name: string, fields: object = {}) =>
    (await ok(operator.createProduct({ name, priceUsdt: 2, ...fields }))).productId ?? 0;
  const buyer = await account('buyer');
  const renamed = await account('to be renamed');
  const locked = await account('to be locked out');
  const { apiKey = '' } = await ok(operator.issueKey(buyer));
  await ok(operator.issueKey(locked));
  await ok(operator.credit(buyer, 100, 'start'));
  const sold = await product('sold');
  const restocked = await product('restocked');
  const withdrawn = await product('withdrawn');
  await ok(operator.addStock(sold, ['sold 1', 'sold 2']));
  await ok(operator.addStock(restocked, ['old 1']));
  await ok(operator.addStock(withdrawn, ['back 1', 'back 2', 'back 3', 'back 4']));
  const manual = await product('manual', { type: 'manual' });
  const { orderId = 0 } = await ok(operator.openOrder({ accountId: buyer, productId: manual }));
  const changed = await product('to be changed');
  return { buyer, renamed, locked, sold, restocked, withdrawn, orderId, changed, apiKey };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;
type Case = readonly [reply: Promise<OperatorReply | BuyerReply>, status: number, fields: object];

/** Commands that tell of a row, and what each is answered; `test/engine/row-copy.test.ts` has all kinds. */
function sendAll({ operator, buyers }: QuietNode, prepared: Prepared): Case[] {
  const { buyer, renamed, locked, sold, restocked, withdrawn, orderId, changed, apiKey } = prepared;
  const order = { productId: sold, quantity: 1, expectedPriceUsdt: 2 };
  return [
    [operator.createAccount({ name: 'new' }), 201, { name: 'new', balanceUsdt: 0, heldUsdt: 0 }],
    [
      operator.json('PATCH', `/accounts/${renamed}`, { name: 'renamed' }),
      200,
      { accountId: renamed, name: 'renamed', balanceUsdt: 0 },
    ],
    [operator.revokeKey(locked), 200, { accountId: locked, keyPrefix: undefined }],
    [operator.credit(buyer, 5, 'more'), 201, { accountId: buyer, amountUsdt: 5 }],
    [operator.createProduct({ name: 'new', priceUsdt: 1 }), 201, { name: 'new', availableStock: 0 }],
    [
      operator.updateProduct(changed, { name: 'changed' }),
      200,
      { productId: changed, name: 'changed', availableStock: 0 },
    ],
    [operator.addStock(restocked, ['new 1', 'new 2']), 201, { added: 2, availableStock: 3 }],
    [
      operator.withdrawStock(withdrawn, 2),
      200,
      { withdrawn: 2, items: ['back 1', 'back 2'], availableStock: 2 },
    ],
    [operator.moveOrder(orderId, 'fail'), 200, { orderId, status: 'failed' }],
    [buyers.purchase(apiKey, KEY, order), 201, { status: 'completed', delivery: { items: ['sold 1'] } }],
  ];
}

/** About the same rows; for these there will be no room. */
function sendMore(
  { operator, operatorToken }: QuietNode,
  { renamed, withdrawn, changed }: Prepared,
): Promise<OperatorReply>[] {
  return [
    operator.createAccount({ name: 'one too many' }),
    operator.credit(renamed, 50, 'lost'),
    operator.withdrawStock(withdrawn, 1),
    operator.updateProduct(changed, { name: 'lost' }),
    operator.json('POST', '/sessions', { token: operatorToken }),
  ];
}

/** Asserts the rows afterwards: each account once, the stock without what was withdrawn. */
async function assertDone({ operator, buyers }: QuietNode, prepared: Prepared): Promise<void> {
  const { accounts } = (await ok(operator.json('GET', '/accounts'))) as unknown as {
    accounts: { name: string }[];
  };
  assert.deepEqual(
    accounts.map(({ name }) => name),
    ['buyer', 'renamed', 'to be locked out', 'new'],
  );
  const { withdrawn, restocked, changed, sold } = prepared;
  const left = await Promise.all(
    [withdrawn, restocked, changed, sold].map(async (id) => await ok(operator.getProduct(id))),
  );
  assert.deepEqual(
    left.map(({ name, availableStock }) => [name, availableStock]),
    [
      ['withdrawn', 2],
      ['restocked', 3],
      ['changed', 0],
      ['sold', 1],
    ],
  );
  const order = { productId: sold, quantity: 1, expectedPriceUsdt: 2 };
  const again = await buyers.purchase(prepared.apiKey, KEY, order);
  assert.deepEqual([again.status, again.body.delivery?.items], [201, ['sold 1']]);
}

test('what is durable is answered, whole and as it was in its turn, though the disk is full a moment later', {
  timeout: 120_000,
}, async (t) => {
  const node = await QuietNode.start('durable-answers');
  t.after(async () => {
    for (const goOn of held) goOn();
    await node.close();
  });
  const prepared = await prepare(node);
  const isApplied = (what: string, position: number) =>
    eventually(what, () => (engine?.state.position ?? 0) >= position);

  // While one group is held, the commands gather in the next.
  const landFirst = holdGroup();
  const first = node.operator.createProduct({ name: 'the first', priceUsdt: 1 });
  await eventually('a group on its way', () => beforeGroups.length === 0);
  const land = holdGroup();
  beforeGroups.push(() => Promise.reject(new JournalFullError()));
  const position = engine?.state.position ?? 0;
  const cases = sendAll(node, prepared);
  await isApplied('all of the group', position + cases.length);
  landFirst();
  await eventually('the group on its way', () => beforeGroups.length === 1);
  const more = sendMore(node, prepared);
  await isApplied('all of the group behind it', position + cases.length + more.length);
  assert.equal(engine?.durablePosition, position);
  land();

  assert.equal((await first).status, 201);
  for (const [reply, status, fields] of cases) {
    const { status: given, body, text } = await reply;
    assert.equal(given, status, text);
    const told = Object.fromEntries(
      Object.keys(fields).map((name) => [name, body[name as keyof typeof body]]),
    );
    assert.deepEqual(told, fields, text);
  }
  for (const reply of more) assert.equal((await reply).status, 500);
  await eventually('the end of the node waits for none of them', () => kept.size === 0);
  await eventually('commands are taken', () => engine?.acceptsCommands ?? false);
  await assertDone(node, prepared);
  await node.restart();
  await assertDone(node, prepared);
});
