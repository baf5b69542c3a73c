/** The bot is killed at every step, and its chats show what the ledger has. `PURSER_TEST_ROUNDS` sets how many kills. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { Day } from './day.ts';

const KILLS = roundsOr(100);
/** A step that comes so often is killed at. */
const OFTEN = 30;

test(`fifty chats show what the ledger has, though the bot is killed ${KILLS} times`, {
  timeout: 3_000_000,
}, async (t) => {
  const random = randomFromEnvironment();
  const folder = await createTemporaryFolder('bot');
  t.diagnostic(`PURSER_TEST_SEED=${random.seed}, ${folder.path} (kept when this fails)`);
  const day = await Day.open(folder.path, random);
  t.after(() => day.close());
  await day.live(KILLS);
  const { differences, orders, repeats } = await day.end();
  const { kills } = day.bot;
  for (const line of day.killer.report) t.diagnostic(line);
  t.diagnostic(`${kills} kills, ${orders} copies, ${repeats} told twice, ${day.lostAnswers} answers lost`);
  assert.deepEqual(differences, []);
  assert.ok(kills >= KILLS, `${kills} kills`);
  assert.ok(repeats <= kills + day.lostAnswers, `${repeats} copies came twice`);
  const unhurt = [...day.killer.places].filter(([, { seen, killed }]) => seen > OFTEN && killed === 0);
  if (KILLS > 5 * day.killer.places.size) assert.deepEqual(unhurt, []);
  await folder.remove();
});
