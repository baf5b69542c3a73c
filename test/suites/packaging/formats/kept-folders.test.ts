/**
 * A data folder of each version since 13 is opened, upgraded where it is older, answers as it did when it was made, and
 * is sound. An upgrade that is killed leaves one whole folder, and the next start completes it.
 */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  FORMAT_VERSION,
  OLDEST_VERSION,
  readFormatText,
} from '../../../../src/persistence/folder/folder-format.ts';
import { verifyDataFolder } from '../../../../src/persistence/verify.ts';
import { QuietNode } from '../../../support/quiet-node.ts';
import { randomFromEnvironment, roundsOr } from '../../../support/random.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
import { filesBelow } from '../../crash/damage.ts';
import { type Answered, keptVersions, unpack } from './kept-folder.ts';

const KILLS = roundsOr(10);
/** Fields of answers that differ each time, or follow from the position or the time since the start. */
const PASSING = new Set(['requestId', 'position', 'hash', 'soldLastDay']);
const UPGRADE = join(import.meta.dirname, 'killed-upgrade.js');
const BEFORE = `before-${FORMAT_VERSION}`;

test('a folder of each version that is upgraded is kept', () => {
  const versions = Array.from(
    { length: FORMAT_VERSION - OLDEST_VERSION + 1 },
    (_, at) => OLDEST_VERSION + at,
  );
  assert.deepEqual(keptVersions(), versions);
});

for (const version of keptVersions())
  test(`the folder of version ${version} answers as it did`, async () => {
    const place = await createTemporaryFolder('format');
    const { folder, answered } = unpack(version, place.path);
    await assertAnswers(folder, answered);
    assert.equal(existsSync(join(folder, BEFORE)), version < FORMAT_VERSION);
    await place.remove();
  });

test(`an upgrade that is killed, ${KILLS} times: the old folder or the new one is whole, and the next start completes it`, async (t) => {
  const random = randomFromEnvironment();
  const counted = await createTemporaryFolder('format');
  const { folder: whole } = unpack(OLDEST_VERSION, counted.path);
  const content = contentOf(whole);
  const [calls] = await once(fork(UPGRADE, [whole], { execArgv: [] }), 'message');
  await counted.remove();
  t.diagnostic(`seed ${random.seed}, ${calls} calls`);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const place = await createTemporaryFolder('format');
    const { folder, answered } = unpack(OLDEST_VERSION, place.path);
    // Names change at the end.
    const call = random.between(kill % 2 === 0 ? 0 : Math.max(0, calls - 28), calls - 1);
    const child = fork(UPGRADE, [folder, String(call)], { execArgv: [] });
    assert.deepEqual(await once(child, 'close'), [null, 'SIGKILL']);
    if (readFormatText(folder) === `purser data folder, version ${OLDEST_VERSION}\n`)
      assert.deepEqual(contentOf(folder), content, `call ${call}`);
    await assertAnswers(folder, answered);
    assert.deepEqual(contentOf(join(folder, BEFORE)), content, `call ${call}`);
    await place.remove();
  }
});

/** A node on the folder gives these answers, and the folder is sound after that. */
async function assertAnswers(path: string, answered: readonly Answered[]): Promise<void> {
  const folder = { path, remove: async () => undefined };
  const node = await QuietNode.start(folder, { webhookAllow: '127.0.0.0/8' });
  for (const { apiKey, path, idempotencyKey, body, status, answer } of answered) {
    const reply =
      apiKey === undefined
        ? await node.operator.json('GET', path)
        : idempotencyKey === undefined
          ? await node.buyers.raw('GET', path, { 'x-api-key': apiKey })
          : await node.buyers.purchase(apiKey, idempotencyKey, body as never);
    const now = Object.keys(reply.body).length > 0 ? kept(reply.body, answer) : reply.text;
    assert.deepEqual([reply.status, now], [status, answer], path);
  }
  await node.stop();
  const lines: string[] = [];
  assert.ok(await verifyDataFolder(path, (line) => lines.push(line)), lines.join('\n'));
}

/** `now` without what passes, and without the fields that the answer `before` lacks: later versions may add some. */
function kept(now: unknown, before: unknown): unknown {
  if (Array.isArray(now)) return now.map((element, at) => kept(element, (before as unknown[])[at]));
  if (typeof now !== 'object' || now === null || typeof before !== 'object' || before === null) return now;
  const had = before as Readonly<Record<string, unknown>>;
  const fields = Object.entries(now).filter(([name]) => name in had && !PASSING.has(name));
  return Object.fromEntries(fields.map(([name, value]) => [name, kept(value, had[name])]));
}

/** Each file with its content's hash, but for LMDB's lock files, unfinished ones, and what upgrades make. */
function contentOf(folder: string): ReadonlyMap<string, string> {
  const names = filesBelow(folder).filter(
    (name) => !/-lock$|\.writing$|^(migrating|before-|lock\.)/.test(name),
  );
  const hashOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  return new Map(names.map((name) => [name, hashOf(name)]));
}
