/**
 * kill -9 while the master key changes under load, again and again on one folder: one key opens everything afterwards, no
 * item is lost, and no key from before opens anything.
 *
 * A round changes it without a pause until the kill: by its file, or from the environment.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { KeyError } from '../../../../src/persistence/keys/key-error.ts';
import { KeyRing } from '../../../../src/persistence/keys/key-ring.ts';
import { verifyDataFolder } from '../../../../src/persistence/verify.ts';
import { ok } from '../../../support/operator-client.ts';
import { randomFromEnvironment, roundsOr } from '../../../support/random.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
import { audit } from '../shop/audit.ts';
import { Ledger } from '../shop/ledger.ts';
import { type ServerUnderTest, startServer } from '../shop/server-under-test.ts';
import { setStage } from '../shop/stage.ts';
import { Traffic } from '../shop/traffic.ts';
import { SMALL_FILES } from '../shop/tuned-node.ts';

const rounds = roundsOr(8);
/** Answered in every round before the time to the kill begins: a machine that stands still is no load. */
const purchasesPerRound = 6;
const changesPerRound = 2;
/** When the kill comes: at any time, or right after one of the two files was replaced. */
const MOMENTS = ['any', 'ring written', 'key file written'] as const;
const LOOK_MS = 500;
/** Older attempts of which a sample is looked at in every round; all of them are at the end. */
const sampleOfOlder = 100;

type Change = 'by file' | 'by environment';
const CHANGES: readonly Change[] = ['by file', 'by environment'];

const title = `${rounds} kills amid changes of the master key leave one key that opens everything, and no item is lost`;
test(title, { timeout: 240_000 + rounds * 30_000 }, async (t) => {
  const random = randomFromEnvironment();
  const folder = await createTemporaryFolder('rekey');
  const dataDir = folder.path;
  t.diagnostic(`seed ${random.seed}, data folder ${dataDir} (kept when this fails)`);
  const ledger = new Ledger();
  /** Undefined while it is the one in the folder. */
  let environmentKey: string | undefined;
  /** Master keys that must open nothing any more. */
  const past: string[] = [];
  const keyInFile = () => readFileSync(join(dataDir, 'master-key'), 'utf8').trim();
  const start = () => {
    const key = environmentKey === undefined ? {} : { PURSER_MASTER_KEY: environmentKey };
    return startServer({ dataDir, entry: SMALL_FILES.entry, env: { ...SMALL_FILES.env, ...key } });
  };

  let server = await start();
  t.after(() => server.kill());
  await setStage(server, ledger, 2_000);
  const { accountId = 0 } = await ok(server.operator.createAccount({ name: 'with a webhook' }));
  const { apiKey = '' } = await ok(server.operator.issueKey(accountId));
  const webhook = { url: 'https://1.1.1.1/', events: ['order.failed'] };
  assert.equal((await server.buyers.setWebhook(apiKey, webhook)).status, 200);
  const { secretMasked } = (await server.buyers.webhook(apiKey)).body.webhook ?? {};

  for (let round = 0; round < rounds; round += 1) {
    const change = CHANGES[round % CHANGES.length] ?? 'by file';
    if (change === 'by environment') {
      // From the file to the environment, and back at the end of the round.
      await server.stop();
      environmentKey = keyInFile();
      rmSync(join(dataDir, 'master-key'));
      server = await start();
    }
    const known = ledger.attempts.length;
    /** Keys that the node had at first, and was told, or had in its file, since. */
    const tried: string[] = [environmentKey ?? keyInFile()];

    const options = { workers: 8, maxPurchases: 1_000, restocks: true };
    const traffic = new Traffic(server, ledger, random, options);
    const running = traffic.run();
    let isOver = false;
    let changes = 0;
    const changing = (async () => {
      try {
        while (!isOver) {
          await changeKeys(server, change, tried, keyInFile);
          changes += 1;
        }
      } catch (error) {
        if (!isOver) throw error;
      }
    })();
    await traffic.untilAcknowledged(purchasesPerRound);
    while (changes < changesPerRound) await Promise.race([changing, delay(1)]);
    await untilIn(random.pick(MOMENTS), dataDir, random.between(0, 60));
    traffic.expectTheEnd();
    isOver = true;
    await server.kill();
    await Promise.all([running, changing]);

    if (change === 'by environment') {
      const opening = tried.filter((key) => opens(dataDir, key));
      assert.equal(opening.length, 1, `${opening.length} of ${tried.length} keys open it`);
      environmentKey = opening[0];
    } else assert.ok(opens(dataDir, keyInFile()), 'the key in the file opens it');
    const current = environmentKey ?? keyInFile();
    past.push(...tried.filter((key) => key !== current));

    const lines: string[] = [];
    assert.ok(await verifyDataFolder(dataDir, (line) => lines.push(line), environmentKey), lines.join('\n'));
    server = await start();
    for (const key of new Set(past)) assert.equal(opens(dataDir, key), false, 'a key from before opens it');
    assert.equal((await server.buyers.webhook(apiKey)).body.webhook?.secretMasked, secretMasked);
    const older = random.sample(ledger.attempts.slice(0, known), sampleOfOlder);
    await audit(server, ledger, [...ledger.attempts.slice(known), ...older]);
    t.diagnostic(`round ${round + 1}, ${change}: ${changes} changes, ${ledger.orders().length} orders`);
    if (environmentKey !== undefined) {
      await server.stop();
      writeFileSync(join(dataDir, 'master-key'), `${environmentKey}\n`, { mode: 0o600 });
      environmentKey = undefined;
      server = await start();
    }
  }

  await audit(server, ledger);
  await server.stop();
  await folder.remove();
});

/** Looks at the files without a pause: what comes between two of them takes a millisecond or two. */
async function untilIn(moment: (typeof MOMENTS)[number], dataDir: string, longestMs: number): Promise<void> {
  if (moment === 'any') return delay(longestMs);
  const stat = (name: string) => statSync(join(dataDir, name), { throwIfNoEntry: false });
  const [ring, key] = [stat('key-ring')?.ino, stat('master-key')?.ino];
  const isIn = () =>
    moment === 'ring written' ? stat('key-ring')?.ino !== ring : stat('master-key')?.ino !== key;
  const endMs = performance.now() + LOOK_MS;
  while (!isIn() && performance.now() < endMs) await setImmediate();
}

async function changeKeys(
  { operator }: ServerUnderTest,
  change: Change,
  tried: string[],
  keyInFile: () => string,
): Promise<void> {
  if (change === 'by environment') {
    const newKey = randomBytes(32).toString('base64');
    // Before it is sent: the node may have it, whatever comes back.
    tried.push(newKey);
    await ok(operator.json('POST', '/rekey', { newKey }));
    return;
  }
  await ok(operator.json('POST', '/rekey', {}));
  tried.push(keyInFile());
  await delay(1);
}

function opens(dataDir: string, key: string): boolean {
  try {
    KeyRing.read(dataDir, key);
    return true;
  } catch (error) {
    if (error instanceof KeyError && error.kind === 'other-key') return false;
    throw error;
  }
}
