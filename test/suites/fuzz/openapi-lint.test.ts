/** A validator of OpenAPI documents finds nothing wrong in those of the buyers and of the operators. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { QuietNode } from '../../support/nodes/quiet-node.ts';
import { repositoryRoot } from '../../support/repository-root.ts';

test('the OpenAPI documents are valid, and give no warning', { timeout: 120_000 }, async (context) => {
  const node = await QuietNode.start('openapi');
  context.after(() => node.close());
  const { text: buyers } = await node.buyers.raw('GET', '/openapi.json');
  const { text: operators } = await node.operator.json('GET', '/openapi.json');
  for (const [name, document] of Object.entries({ buyers, operators })) {
    const file = join(node.folder.path, `${name}.json`);
    writeFileSync(file, document);
    const redocly = join(repositoryRoot(), 'node_modules/@redocly/cli/bin/cli.js');
    // Whoever asks whether the service is up can't ask wrongly.
    const args = [redocly, 'lint', '--format', 'stylish', '--skip-rule', 'operation-4xx-response', file];
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const options = { cwd: node.folder.path, timeout: 60_000, env };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, options);
    assert.match(stderr, /Your API description is valid/);
    assert.doesNotMatch(stdout + stderr, /You have \d+ warning/, stdout + stderr);
  }
});
