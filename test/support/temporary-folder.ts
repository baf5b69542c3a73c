import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of one test's own. `remove` takes everything in it and may be called twice. */
export interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

export async function createTemporaryFolder(purpose: string): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), `purser-${purpose}-`));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}
