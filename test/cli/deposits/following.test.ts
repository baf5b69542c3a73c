/**
 * The parts by which a watcher follows a chain: the places of transfers in their transactions, whatever the API says when;
 * and what is read again of a busy address.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { OperatorClient } from '../../../src/cli/calls/operator-client.ts';
import { SeenPayments } from '../../../src/cli/deposits/seen-payments.ts';
import { type ChainPayment, TronGrid } from '../../../src/cli/deposits/tron-grid.ts';
import { DepositWatcher } from '../../../src/cli/deposits/watch.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../fake-operator.ts';
import { CONTRACT, ScriptedChain } from './scripted-chain.ts';

const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;

describe('the place of a transfer', () => {
  const MICROS = 5_000_000;

  async function placeOf(context: TestContext, change: (chain: ScriptedChain) => void, ageMs = 60_000) {
    const chain = await ScriptedChain.start();
    context.after(() => chain.stop());
    const at = Date.now() - ageMs;
    chain.sent.push({ txId: 'tx1', to: 'T1', micros: MICROS, at, place: 4 });
    change(chain);
    const grid = new TronGrid({ url: chain.url, contract: CONTRACT, apiKey: undefined, onTrouble: () => {} });
    const ask = async () => (await grid.placed('T1', { txId: 'tx1', amounts: [MICROS], at }))?.[0]?.logIndex;
    return { chain, ask };
  }

  it('is that of its event, however often the API refuses to tell', async (context) => {
    for (const trouble of [403, 429] as const) {
      const { ask } = await placeOf(context, (chain) => chain.troubles.push(trouble));
      assert.equal(await ask(), 4);
    }
  });

  it('is not known while the event is missing, and the API has others', async (context) => {
    const missing = (times: number) => (chain: ScriptedChain) => {
      for (const sent of chain.sent) sent.unlisted = times;
    };
    const { ask } = await placeOf(context, missing(2));
    assert.deepEqual([await ask(), await ask(), await ask()], [undefined, undefined, 4]);
    const { ask: askOld } = await placeOf(context, missing(3), DAY_MS + 60_000);
    assert.equal(await askOld(), 0, 'it is missing for good');
  });

  it('is one among those to the address where the API has no events', async (context) => {
    const { ask } = await placeOf(context, (chain) => {
      chain.hasEvents = false;
    });
    assert.equal(await ask(), 0);
  });
});

it('payments are remembered by their times, and so many at most', () => {
  const seen = new SeenPayments();
  for (let number = 0; number < 100_000; number += 1) seen.add(`tx${number}`, 1_000 + number);
  assert.ok(seen.size <= 20_000 && seen.size >= 10_000, `${seen.size}`);
  assert.deepEqual([seen.has('tx99999'), seen.has('tx5'), seen.fromMs > 80_000], [true, false, true]);
  seen.add('old', 5);
  assert.equal(seen.has('old'), false);
  for (let number = 0; number < 100_000; number += 1) seen.add(`one${number}`, 200_000);
  assert.ok(seen.size <= 20_000, 'of one moment, too');
});

it('a busy address: new transfers are not kept waiting by those of the hour before, and late ones are found', async (context) => {
  const beginMs = Date.now() - 2 * HOUR_MS;
  const payments: ChainPayment[] = Array.from({ length: 1_500 }, (_, number) => ({
    ...{ txId: `tx${number}`, amounts: [1_000_000], at: beginMs + number * 2_000 },
  }));
  /** Of each reading, how many payments it went through. */
  const readings: number[] = [];
  const chain = {
    async *paymentsTo(_address: string, fromMs: number, toMs = Number.POSITIVE_INFINITY) {
      const reading = readings.push(0) - 1;
      for (const payment of payments.toSorted((a, b) => a.at - b.at)) {
        if (payment.at < fromMs || payment.at >= toMs) continue;
        readings[reading] = (readings[reading] ?? 0) + 1;
        yield [payment];
      }
    },
    placed: async (_address: string, { txId, at }: ChainPayment) => [
      { txId, logIndex: 0, amountUsdt: 1, at },
    ],
  };
  const reported: string[] = [];
  const call = async ({ method, body }: Parameters<OperatorClient['call']>[0]) => {
    if (method === 'POST') reported.push(String(body?.txId));
    const addresses = [{ network: 'trc20', address: 'T1' }];
    return { text: '', body: { state: 'unclaimed', addresses, confirmations: 20, epoch: 1 } };
  };
  const stop = new AbortController();
  const watcher = new DepositWatcher({
    ...{ network: 'trc20', chain, operator: { call } as unknown as OperatorClient },
    ...{ state: temporaryFolder(context), sinceMs: 0, intervalMs: 1, signal: stop.signal, say: () => {} },
  });
  const ended = watcher.run();
  await eventually('all are reported', () => reported.length === payments.length);
  const begun = readings.length;
  await eventually('it goes on', () => readings.length > begun + 40);
  const most = Math.max(...readings.slice(begun + 2));
  assert.ok(most <= 200, `${most} of the hour's in one reading`);
  payments.push({ txId: 'late', amounts: [1_000_000], at: beginMs + 20 * 60_000 });
  payments.push({ txId: 'new', amounts: [1_000_000], at: beginMs + payments.length * 2_000 });
  await eventually('both are reported', () => reported.length >= payments.length);
  assert.deepEqual(reported.slice(1_500).sort(), ['late', 'new']);
  stop.abort();
  await ended;
});
