/** A Debian that was kept is used only if nobody but root can have changed it, for root runs what is in it. */
import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { refuseForeign } from './scratch-debian.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

const isRoot = process.getuid?.() === 0;

it('a kept Debian is refused unless it is of root alone', async (context) => {
  const folder = await createTemporaryFolder('kept');
  context.after(() => folder.remove());
  const kept = join(folder.path, 'kept');
  symlinkSync('/', kept);
  assert.throws(() => refuseForeign(kept), /no folder of root/);
  unlinkSync(kept);
  mkdirSync(kept, { mode: 0o755 });
  if (isRoot) refuseForeign(kept);
  else assert.throws(() => refuseForeign(kept), /no folder of root/);
  chmodSync(kept, 0o775);
  assert.throws(() => refuseForeign(kept), /only root writes to: remove it/);
  chmodSync(kept, 0o755);
  if (isRoot) chownSync(kept, 65_534, 65_534);
  assert.throws(() => refuseForeign(kept), /no folder of root/);
  rmdirSync(kept);
});
