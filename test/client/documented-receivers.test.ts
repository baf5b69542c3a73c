/** docs/webhooks.md: the receivers that it shows, held against the recorded deliveries as they stand there. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../support/repository-root.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

interface Vector {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly nowMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly expect: string;
}

const DOCS = join(repositoryRoot(), 'docs');
const PAGE = readFileSync(join(DOCS, 'webhooks.md'), 'utf8');
const { vectors } = JSON.parse(readFileSync(join(DOCS, 'webhook-vectors.json'), 'utf8')) as {
  vectors: readonly Vector[];
};

/** Reads the vectors, and prints for each the event or null. */
const PYTHON_DRIVER = `
import json, sys
from receiver import verify
for vector in json.load(open(sys.argv[1], encoding='utf-8'))['vectors']:
    headers = {name.lower(): value for name, value in vector['headers'].items()}
    print(json.dumps(verify(headers, vector['body'].encode(), vector['secrets'], vector['nowMs'])))
`;

function receiverIn(language: string): string {
  const blocks = Array.from(PAGE.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs')));
  const [receiver, ...more] = blocks.filter(([, code]) => code?.includes('verify('));
  assert.ok(receiver?.[1] !== undefined && more.length === 0, `one receiver in ${language}`);
  return receiver[1];
}

function assertVerdict({ name, body, expect }: Vector, event: unknown): void {
  if (expect === 'valid') assert.deepEqual(event, JSON.parse(body), name);
  else assert.equal(event ?? undefined, undefined, `${name} is ${expect}`);
}

describe('the receivers of docs/webhooks.md', () => {
  let folder: TemporaryFolder;

  before(async () => {
    folder = await createTemporaryFolder('receivers');
  });
  after(() => folder.remove());

  test('in Node', async () => {
    const file = join(folder.path, 'receiver.mjs');
    writeFileSync(file, receiverIn('js'));
    const { verify } = await import(pathToFileURL(file).href);
    for (const vector of vectors) {
      const { headers, body, secrets, nowMs } = vector;
      const lowerCase = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      assertVerdict(vector, verify(lowerCase, Buffer.from(body), secrets, nowMs));
    }
  });

  test('in Python', (context) => {
    writeFileSync(join(folder.path, 'receiver.py'), receiverIn('python'));
    writeFileSync(join(folder.path, 'driver.py'), PYTHON_DRIVER);
    const args = ['-B', join(folder.path, 'driver.py'), join(DOCS, 'webhook-vectors.json')];
    const run = spawnSync('python3', args, { encoding: 'utf8', timeout: 30_000 });
    if (run.error !== undefined && 'code' in run.error && run.error.code === 'ENOENT') {
      context.skip('NOT TESTED: python3 is not installed, so the receiver in Python was not run');
      return;
    }
    assert.equal(run.status, 0, run.stderr);
    const events = run.stdout.trim().split('\n');
    assert.equal(events.length, vectors.length);
    for (const [index, vector] of vectors.entries()) assertVerdict(vector, JSON.parse(events[index] ?? ''));
  });
});
