/**
 * The watcher at a busy address and at a quiet one. The process is given little memory, and says what it takes. A deposit
 * is credited by the first look after its confirmation. The figures are printed.
 *
 * PURSER_TEST_ROUNDS sets how many hundreds of transfers the busy address gets: 1000 are 100,000.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ScriptedChain } from '../../cli/deposits/scripted-chain.ts';
import { eventually } from '../../support/eventually.ts';
import { type OperatorClient, ok } from '../../support/operator-client.ts';
import { roundsOr } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { BusyChain, STEP_MS } from './busy-chain.ts';
import { WatchedShop } from './watched-shop.ts';

const TRANSFERS = 100 * roundsOr(50);
/** One of so many pays a deposit. */
const PAID = 500;
const ADDRESS = 'T1';
const LITTLE_MEMORY = { NODE_OPTIONS: '--max-old-space-size=48' };
const HOUR_MS = 60 * 60_000;
const CREDITS = 30;
/** A transfer of this age has the confirmations that the node asks for. */
const CONFIRMED_MS = 60_000;

async function openDeposit(operator: OperatorClient, amountUsdt: number) {
  const { accountId = 0 } = await ok(operator.createAccount({ name: 'Chat' }));
  const asked = { network: 'trc20', amountUsdt };
  const { text } = await operator.json('POST', `/accounts/${accountId}/deposits`, asked);
  return { accountId, micros: Math.round(JSON.parse(text).payUsdt * 1e6) };
}

function rssOf(pid: number): string {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return `${Math.round(Number(kilobytes) / 1024)} MB`;
}

test(`${TRANSFERS} transfers of a busy address are followed in little memory`, {
  timeout: 3_600_000,
}, async (context) => {
  const folder = await createTemporaryFolder('busy-address');
  const paid = new Map<number, number>();
  const beginMs = Date.now() - HOUR_MS - TRANSFERS * STEP_MS;
  const chain = await BusyChain.start({ address: ADDRESS, count: TRANSFERS, beginMs, paid });
  const shop = await WatchedShop.open(folder.path, chain.url, [ADDRESS]);
  context.after(async () => {
    await shop.stop();
    await chain.stop();
    await folder.remove();
  });
  const expected = new Map<number, number>();
  for (let number = PAID - 1; number < TRANSFERS; number += PAID) {
    const { accountId, micros } = await openDeposit(shop.operator, 5);
    paid.set(number, micros);
    expected.set(accountId, micros);
  }
  const begun = performance.now();
  const since = ['--since', new Date(beginMs).toISOString(), '--interval', '50ms'];
  const { child, ended } = shop.startWatcher(since, LITTLE_MEMORY);
  let isOver = false;
  const over = ended.then(({ stderr }) => {
    isOver = true;
    return stderr;
  });
  const reached = async (asked: number) => {
    const isThere = () => isOver || chain.asked >= asked;
    await eventually(`${asked} were followed`, isThere, 1_800_000);
    assert.ok(!isOver, `it ended: ${isOver && (await over)}`);
    const seconds = Math.round((performance.now() - begun) / 1_000);
    context.diagnostic(`${asked} transfers: ${rssOf(child.pid ?? 0)}, ${seconds} s`);
  };
  for (const share of [0.1, 0.5, 1]) await reached(Math.round(TRANSFERS * share));
  await eventually('the last one is credited', async () => (await shop.wallets()).size >= expected.size);
  assert.deepEqual(await shop.wallets(), expected);
  const { pages } = chain;
  await eventually('the hour is read again', () => isOver || chain.pages > pages + 300, 600_000);
  assert.ok(!isOver);
  context.diagnostic(`300 pages later: ${rssOf(child.pid ?? 0)}`);
  assert.equal((await shop.stopWatcher())?.code, 0);
});

test('a deposit is credited by the first look after its confirmation', {
  timeout: 600_000,
}, async (context) => {
  const folder = await createTemporaryFolder('deposit-latency');
  const chain = await ScriptedChain.start();
  const shop = await WatchedShop.open(folder.path, chain.url, [ADDRESS]);
  context.after(async () => {
    await shop.stop();
    await chain.stop();
    await folder.remove();
  });
  shop.startWatcher(['--since', new Date(Date.now() - HOUR_MS).toISOString()]);
  await eventually('the watcher looks', () => chain.readings > 0);
  const took: number[] = [];
  for (let count = 0; count < CREDITS; count += 1) {
    const { accountId, micros } = await openDeposit(shop.operator, 10);
    const { readings } = chain;
    const beganMs = performance.now();
    chain.sent.push({ txId: `tx${count}`, to: ADDRESS, micros, at: Date.now() - CONFIRMED_MS });
    await eventually('it is credited', async () => (await shop.wallets()).has(accountId));
    took.push(performance.now() - beganMs);
    assert.ok(chain.readings - readings <= 3, 'one that was under way, and the next');
  }
  const [median = 0, most = 0] = [took.sort((a, b) => a - b)[CREDITS / 2], took.at(-1)];
  context.diagnostic(
    `${CREDITS} deposits: credited after ${Math.round(median)} ms in the median, ${Math.round(most)} ms at most`,
  );
});
