/** What the build makes of the console. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { repositoryRoot } from '../../support/repository-root.ts';

const FOLDER = join(repositoryRoot(), 'dist', 'console');
/** By `gzip -9`, of all files. */
const MAX_BYTES = 120 * 1024;

test('the console is four files, which are small and name no place but the node', () => {
  const names = readdirSync(FOLDER).sort();
  assert.deepEqual(names, ['console.css', 'console.js', 'favicon.svg', 'index.html']);
  let bytes = 0;
  for (const name of names) {
    const content = readFileSync(join(FOLDER, name));
    bytes += gzipSync(content, { level: 9 }).length;
    const addresses = content.toString('utf8').match(/(https?:)?\/\/[\w.-]+\.\w+/g) ?? [];
    const others = addresses.filter((address) => !address.endsWith('//www.w3.org'));
    assert.deepEqual(others, [], name);
  }
  assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`);
});
