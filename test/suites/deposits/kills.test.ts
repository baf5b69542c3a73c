/**
 * The watcher of deposits is killed at random moments, and the node now and then, while customers pay in every way and the
 * chain's API fails in every way: no deposit is credited twice, and none is lost.
 *
 * PURSER_TEST_ROUNDS sets how many kills; PURSER_TEST_SEED repeats the choices.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ScriptedChain, type Trouble } from '../../cli/deposits/scripted-chain.ts';
import { eventually } from '../../support/eventually.ts';
import { type Random, randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { ADDRESSES, Customers } from './customers.ts';
import { WatchedShop } from './watched-shop.ts';

const KILLS = roundsOr(40);
const TROUBLES: readonly Trouble[] = [403, 429, 500, 503, 'empty', 'stale', 'cut', 'html'];
const INTERVAL = ['--since', '2000-01-01', '--interval', '20ms'];
/** The longest time between what a kill waits for and the kill. */
const MOST_MS = 30;
/** How long the chain isn't asked at most: a watcher waits for half a minute after many failures. */
const PATIENCE_MS = 120_000;

test(`${KILLS} kills lose no deposit and double none`, { timeout: 3_600_000 }, async (context) => {
  const random = randomFromEnvironment();
  const folder = await createTemporaryFolder('deposit-kills');
  context.diagnostic(`PURSER_TEST_SEED=${random.seed}, folder ${folder.path} (kept when this fails)`);
  const chain = await ScriptedChain.start();
  const shop = await WatchedShop.open(folder.path, chain.url, ADDRESSES);
  context.after(async () => {
    await shop.stop();
    await chain.stop();
  });
  const customers = new Customers(shop.operator, chain, random);
  let nodeKills = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    shop.startWatcher(INTERVAL);
    for (let left = random.between(1, 4); left > 0; left -= 1) await customers.act();
    if (random.chance(0.5) && chain.troubles.length < 2) chain.troubles.push(random.pick(TROUBLES));
    await someRequests(chain, shop, random);
    if (random.chance(0.05)) {
      nodeKills += 1;
      await shop.killNode();
      await someRequests(chain, shop, random);
    }
    await shop.killWatcher();
  }
  customers.settle();
  chain.troubles.length = 0;

  const { requests } = chain;
  const { child } = shop.startWatcher(INTERVAL);
  await eventually('it has the folder, and goes on', () => chain.requests > requests);
  const second = await shop.secondWatcher();
  assert.equal(second.code, 1);
  assert.match(second.stderr, new RegExp(`is in use by another running purser \\(pid ${child.pid}\\)`));
  const { expected, strays, pairs } = customers;
  const isAllThere = async () =>
    (await shop.wallets()).size >= expected.size &&
    (await shop.unclaimed()).size >= strays.size + pairs.length;
  await eventually('all is credited, or unclaimed', isAllThere, 120_000);
  const { readings } = chain;
  await eventually('all is read again', () => chain.readings > readings + 20 * ADDRESSES.length);
  assert.deepEqual(await shop.wallets(), expected);
  const unclaimed = await shop.unclaimed();
  for (const pair of pairs) assert.equal(pair.filter((one) => unclaimed.has(one)).length, 1, pair.join());
  const singles = [...unclaimed].filter((reference) => !pairs.some((pair) => pair.includes(reference)));
  assert.deepEqual(singles.sort(), [...strays].sort());
  const stopped = await shop.stopWatcher();
  assert.deepEqual([stopped?.code, stopped?.signal], [0, null], stopped?.stderr);

  const found = JSON.parse((await shop.operator.createAccount({ name: 'Found' })).text).accountId;
  for (const reference of unclaimed) {
    const path = `/deposits/unclaimed/${reference}/assign`;
    assert.equal((await shop.operator.json('POST', path, { accountId: found })).status, 200);
  }
  const { code, stdout, stderr } = await shop.audit();
  assert.equal(code, 0, stdout + stderr);
  const { ok, transfers, findings } = JSON.parse(stdout);
  assert.deepEqual([ok, transfers, findings], [true, customers.transfers, []]);
  context.diagnostic(
    `${KILLS} kills of the watcher, ${nodeKills} of the node: ${expected.size} deposits credited once, ${unclaimed.size} transfers unclaimed, of ${transfers}`,
  );
  await shop.stop();
  await folder.remove();
});

/** Some of the watcher's requests to the chain, also none, and a moment more. */
async function someRequests(chain: ScriptedChain, shop: WatchedShop, random: Random): Promise<void> {
  // Early ones come upon a start, late ones upon work that goes on.
  let left = random.between(0, random.pick([2, 20, 120]));
  const asked = new Promise<void>((resolve) => {
    if (left === 0) resolve();
    chain.onRequest = () => {
      left -= 1;
      if (left === 0) resolve();
    };
  });
  const patience = new AbortController();
  const isThere = await Promise.race([
    asked.then(() => true),
    shop.watcher?.ended.then(() => false),
    delay(PATIENCE_MS, false, { signal: patience.signal }),
  ]);
  patience.abort();
  if (isThere !== true) assert.fail(`${left} requests are missing: ${(await shop.killWatcher())?.stderr}`);
  await delay(random.between(0, MOST_MS));
}
