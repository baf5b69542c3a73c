/**
 * The operators' API, and the headers for browsers: cases by subject (`*.cases.ts`), one after the other on one node,
 * which some of them start anew. In the end the node's folder is sound, and has none of the secrets.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { browsers } from './browsers.cases.ts';
import { lots } from './lots.cases.ts';
import { moneyRoles } from './money-roles.cases.ts';
import { OperatorScene } from './operator-scene.ts';
import { operators } from './operators.cases.ts';
import { rekey } from './rekey.cases.ts';
import { repeatedCalls } from './repeated-calls.cases.ts';
import { sessions } from './sessions.cases.ts';
import { timelines } from './timeline.cases.ts';

describe('the operator API', { timeout: 180_000 }, () => {
  const scene = new OperatorScene();
  before(() => scene.start());
  after(() => scene.close());

  const cases = [browsers, operators, lots, moneyRoles, timelines, repeatedCalls, sessions, rekey];
  for (const { title, define } of cases) {
    describe(title, () => define(scene));
  }

  test('the folder is sound, and nothing that was to be secret is in it', async () => {
    const { path } = scene.node.folder;
    await scene.node.stop();
    const found = { accounts: 0, secrets: 0 };
    const needles = scene.secrets.map((secret) => secret.replace(/^p[a-z]{2}_/, ''));
    for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const bytes = readFileSync(join(entry.parentPath, entry.name));
      for (const needle of needles) if (bytes.includes(needle)) found.secrets += 1;
      // In the checkpoint's table of accounts.
      if (bytes.includes('Buyer')) found.accounts += 1;
    }
    assert.ok(needles.length > 30 && needles.every((needle) => needle.length > 10));
    assert.equal(found.secrets, 0);
    assert.ok(found.accounts > 0, 'the search would have found what is there');
    const lines: string[] = [];
    assert.ok(await verifyDataFolder(path, (line) => lines.push(line)), lines.join('\n'));
    assert.match(lines.join('\n'), /key-ring: sound\n[\s\S]*secrets: 4 of .* open, 0 don't/);
  });
});
