/**
 * `purser deposits watch` and `audit` on a real node and a chain of our own: customers pay while the watcher is stopped
 * anywhere and the chain's API fails in every way that such APIs do; the wallets are a naive ledger's.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { OperatorClient as CliOperator } from '../../../src/cli/calls/operator-client.ts';
import { auditDeposits } from '../../../src/cli/deposits/audit.ts';
import { TronGrid } from '../../../src/cli/deposits/tron-grid.ts';
import { DepositWatcher, type WatchOptions } from '../../../src/cli/deposits/watch.ts';
import { CommandFailure } from '../../../src/cli/terminal/failure.ts';
import type { PurserNode } from '../../../src/node/node.ts';
import { eventually } from '../../support/eventually.ts';
import { startInProcess } from '../../support/nodes/node-in-process.ts';
import { OperatorClient, ok } from '../../support/operator-client.ts';
import { randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { CONTRACT, ScriptedChain, type Trouble } from './scripted-chain.ts';

const TROUBLES: readonly Trouble[] = [403, 429, 500, 503, 'empty', 'stale', 'cut', 'html'];
const ADDRESSES = ['T1', 'T2'] as const;
const MINUTE_MS = 60_000;

describe('purser deposits', { timeout: 300_000, concurrency: 1 }, () => {
  let folder: TemporaryFolder;
  let node: PurserNode;
  let operator: OperatorClient;
  let chain: ScriptedChain;
  let running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  const lines: string[] = [];
  /** A time of the chain, which goes on by itself. */
  let nowMs = Date.now() - 10 * 24 * 60 * MINUTE_MS;
  let transactions = 0;

  before(async () => {
    folder = await createTemporaryFolder('deposits');
    const addresses = ADDRESSES.map((address) => `trc20=${address}`);
    node = await startInProcess({ data: join(folder.path, 'node'), depositAddress: addresses });
    operator = new OperatorClient(node.operatorUrl, node.operatorToken);
    chain = await ScriptedChain.start();
  });
  after(async () => {
    await stop();
    await chain.stop();
    await node.stop();
    await folder.remove();
  });

  const clientOf = () => new CliOperator({ url: node.operatorUrl, token: node.operatorToken });
  const gridOf = (signal?: AbortSignal) =>
    new TronGrid({ url: chain.url, contract: CONTRACT, apiKey: undefined, signal, onTrouble: () => {} });

  function start(more: Partial<WatchOptions> = {}): void {
    const stopped = new AbortController();
    const watcher = new DepositWatcher({
      network: 'trc20',
      chain: gridOf(stopped.signal),
      operator: clientOf(),
      state: join(folder.path, 'watcher'),
      sinceMs: 0,
      intervalMs: 10,
      signal: stopped.signal,
      say: (line) => lines.push(line),
      ...more,
    });
    running = { stop: stopped, ended: watcher.run() };
  }

  async function stop(): Promise<void> {
    running?.stop.abort();
    await running?.ended.catch((error) => assert.equal((error as Error).name, 'AbortError'));
    running = undefined;
  }

  const post = async (path: string, body: object) => {
    const { text, status } = await operator.json('POST', path, body);
    assert.ok(status < 300, text);
    return JSON.parse(text);
  };
  const get = async (path: string) => JSON.parse((await operator.json('GET', path)).text);
  const account = async () => (await ok(operator.createAccount({ name: 'Chat' }))).accountId ?? 0;
  const balanceOf = async (accountId: number): Promise<number> =>
    (await get(`/accounts/${accountId}`)).balanceUsdt;
  const microsOf = (amountUsdt: number) => Math.round(amountUsdt * 1e6);
  const unclaimed = async (): Promise<string[]> =>
    (await get('/deposits?state=unclaimed')).deposits.map((row: { reference: string }) => row.reference);

  function send(to: string, micros: number | string, more: object = {}): string {
    transactions += 1;
    const txId = `tx${transactions}`;
    chain.sent.push({ txId, to, micros, at: nowMs, ...more });
    return txId;
  }

  it('credit what is paid, and nothing else that looks like it', async () => {
    const accountId = await account();
    const deposit = await post(`/accounts/${accountId}/deposits`, { network: 'trc20', amountUsdt: 20 });
    const micros = microsOf(deposit.payUsdt);
    send(deposit.address, micros, { contract: 'TFakeUsdt' });
    send(deposit.address, micros, { decimals: 7 });
    send(deposit.address, micros, { type: 'Approval' });
    send(deposit.address, `-${micros}`);
    send(deposit.address, 0);
    send('TElsewhere', micros);
    send(deposit.address, micros);
    start();
    await eventually('it is credited', async () => (await balanceOf(accountId)) === deposit.payUsdt);
    assert.deepEqual(await unclaimed(), []);
    await stop();
  });

  it('tell transfers of one transaction apart, to one address or two, whatever the order in which the chain lists them', async () => {
    const accountId = await account();
    const open = () => post(`/accounts/${accountId}/deposits`, { network: 'trc20', amountUsdt: 30 });
    const theirs = [];
    while (theirs.filter(({ address }) => address === 'T1').length < 2) theirs.push(await open());
    const [a, b] = theirs.filter(({ address }) => address === 'T1');
    const other = await account();
    let elsewhere = await post(`/accounts/${other}/deposits`, { network: 'trc20', amountUsdt: 30 });
    while (elsewhere.address !== 'T2')
      elsewhere = await post(`/accounts/${other}/deposits`, { network: 'trc20', amountUsdt: 30 });
    nowMs += MINUTE_MS;
    transactions += 1;
    const of = { txId: `tx${transactions}`, to: 'T1', at: nowMs };
    const both = [
      { ...of, place: 2, micros: microsOf(b.payUsdt) },
      { ...of, place: 7, micros: microsOf(a.payUsdt) },
      { ...of, place: 4, to: 'T2', micros: microsOf(elsewhere.payUsdt) },
    ];
    chain.sent.push(...both);
    start();
    const sum = Number((a.payUsdt + b.payUsdt).toFixed(6));
    await eventually('both are credited', async () => (await balanceOf(accountId)) === sum);
    await eventually('so is the other', async () => (await balanceOf(other)) === elsewhere.payUsdt);
    await stop();
    chain.sent.splice(-3, 3, ...both.toReversed());
    const asked = chain.requests;
    start();
    await eventually('the chain is asked', () => chain.requests > asked + 6);
    await stop();
    assert.deepEqual([await balanceOf(accountId), await unclaimed()], [sum, []]);
    assert.equal(await balanceOf(other), elsewhere.payUsdt);
  });

  it('find a transfer that the chain lists only after younger ones, also after another start', async () => {
    const [early, younger] = [await account(), await account()];
    const open = (accountId: number) =>
      post(`/accounts/${accountId}/deposits`, { network: 'trc20', amountUsdt: 40 });
    const [first, second, other] = [await open(early), await open(younger), await open(younger)];
    const at = nowMs;
    nowMs += 20 * MINUTE_MS;
    for (const { address, payUsdt } of [second, other]) send(address, microsOf(payUsdt));
    start();
    const sum = Number((second.payUsdt + other.payUsdt).toFixed(6));
    await eventually('the younger ones are credited', async () => (await balanceOf(younger)) === sum);
    await stop();
    send(first.address, microsOf(first.payUsdt), { at });
    start();
    await eventually('the late one is credited', async () => (await balanceOf(early)) === first.payUsdt);
    await stop();
  });

  it('go on where they began, when they were stopped before the first transfer', async () => {
    const accountId = await account();
    const deposit = await post(`/accounts/${accountId}/deposits`, { network: 'trc20', amountUsdt: 45 });
    const state = join(folder.path, 'fresh');
    nowMs += 120 * MINUTE_MS;
    start({ state, sinceMs: nowMs });
    const asked = chain.requests;
    await eventually('the chain is asked', () => chain.requests > asked + 3);
    await stop();
    nowMs += MINUTE_MS;
    send(deposit.address, microsOf(deposit.payUsdt));
    nowMs += MINUTE_MS;
    start({ state, sinceMs: nowMs });
    await eventually('it is credited', async () => (await balanceOf(accountId)) === deposit.payUsdt);
    await stop();
  });

  it('report the others when the node refuses a transfer, and that one again', async () => {
    const accountId = await account();
    const deposit = await post(`/accounts/${accountId}/deposits`, { network: 'trc20', amountUsdt: 55 });
    nowMs += MINUTE_MS;
    // More than the shop's wallets may hold.
    send('T1', 9_000_000_000_000_000);
    const refused = chain.sent.length - 1;
    nowMs += MINUTE_MS;
    send(deposit.address, microsOf(deposit.payUsdt));
    const said = lines.length;
    start();
    await eventually('it is credited', async () => (await balanceOf(accountId)) === deposit.payUsdt);
    await eventually('the refusal is said', () =>
      lines.slice(said).some((line) => line.includes('amountUsdt must')),
    );
    await stop();
    chain.sent.splice(refused, 1);
  });

  it('go on when the node stops refusing their role, as a restored shop does when it is opened', async () => {
    const accountId = await account();
    const deposit = await post(`/accounts/${accountId}/deposits`, { network: 'trc20', amountUsdt: 65 });
    const client = clientOf();
    let calls = 0;
    const call: typeof client.call = async (asked) => {
      calls += 1;
      const refusal = { code: 'FORBIDDEN', requestId: 'none', body: '{}' };
      if (calls > 3 && calls < 6) throw new CommandFailure('Your role is finance.', { refusal });
      return client.call(asked);
    };
    nowMs += MINUTE_MS;
    start({ operator: Object.assign(clientOf(), { call }) });
    await eventually('it is refused', () => calls > 3);
    send(deposit.address, microsOf(deposit.payUsdt));
    await eventually('it is credited', async () => (await balanceOf(accountId)) === deposit.payUsdt);
    await stop();
  });

  it('lose nothing and double nothing, whenever the watcher is stopped and however the chain fails', async (context) => {
    const random = randomFromEnvironment();
    context.diagnostic(`PURSER_TEST_SEED=${random.seed}`);
    /** By account, in micro-USDT. */
    const expected = new Map<number, number>();
    const strays: string[] = [];
    const late: (() => void)[] = [];
    for (let step = 0; step < 15 * roundsOr(1); step += 1) {
      nowMs += random.between(0, 2) * MINUTE_MS;
      if (random.chance(0.7)) {
        const accountId = await account();
        const asked = { network: 'trc20', amountUsdt: random.pick([5, 10]) };
        const { address, payUsdt } = await post(`/accounts/${accountId}/deposits`, asked);
        expected.set(accountId, microsOf(payUsdt));
        const at = nowMs;
        const pay = () => send(address, microsOf(payUsdt), { at });
        // The chain lists some of them only after younger ones.
        if (random.chance(0.3)) late.push(pay);
        else pay();
      } else strays.push(`trc20:${send(random.pick(ADDRESSES), 7_000_000)}:1`);
      if (random.chance(0.4)) chain.troubles.push(random.pick(TROUBLES));
      if (late.length > 2 || random.chance(0.2)) for (const pay of late.splice(0)) pay();
      if (running === undefined) start();
      const asked = chain.requests + random.between(0, 3);
      await eventually('the chain is asked', () => chain.requests >= asked);
      if (random.chance(0.6)) await stop();
    }
    for (const pay of late.splice(0)) pay();
    if (running === undefined) start();
    await eventually('all is credited', async () => {
      for (const [accountId, micros] of expected)
        if (microsOf(await balanceOf(accountId)) !== micros) return false;
      return (await unclaimed()).length >= strays.length;
    });
    assert.deepEqual((await unclaimed()).sort(), strays.sort());
    const asked = chain.requests;
    await eventually('the chain is asked', () => chain.requests > asked + 4);
    await stop();
    for (const [accountId, micros] of expected) assert.equal(microsOf(await balanceOf(accountId)), micros);
  });

  it('compare all credits with the chain, and name what is missing or doubled', async () => {
    const network = 'trc20';
    const audit = (fromMs = 0, untilMs = Number.MAX_SAFE_INTEGER) =>
      auditDeposits({ network, chain: gridOf(), operator: clientOf(), fromMs, untilMs });
    const strays = await unclaimed();
    const first = await audit();
    const missing = first.findings.map(({ problem, reference }) => `${problem} ${reference}`);
    assert.deepEqual(missing.sort(), strays.map((reference) => `missing ${reference}`).sort());
    const [one = '', two = ''] = strays;
    const [a, b] = [await account(), await account()];
    for (const reference of strays.slice(1))
      await post(`/deposits/unclaimed/${reference}/assign`, { accountId: a });
    // By hand, to another account, and with a reference that no transfer has.
    await post(`/accounts/${b}/credits`, { amountUsdt: 7, reference: two });
    await post(`/accounts/${b}/credits`, { amountUsdt: 3, reference: 'trc20:none:0' });
    const { findings } = await audit();
    assert.deepEqual(
      findings.map(({ problem, reference, accountId }) => [problem, reference, accountId]).sort(),
      [
        ['doubled', 'trc20:none:0', b],
        ['doubled', two, b],
        ['missing', one, undefined],
      ],
    );
    // The credits by hand are of today, and the chain's time is days ago.
    const earlier = await audit(0, nowMs + 1);
    assert.deepEqual(earlier.findings.map(({ reference }) => reference).sort(), [one, two].sort());
    // A period behind the newest line of the feed.
    const { transfers, findings: none } = await audit(Date.now() + 24 * 60 * MINUTE_MS);
    assert.deepEqual([transfers, none], [0, []]);
  });
});
