/** One folder of a PostgreSQL server on a disk of its own: `base` has the tables, `pg_wal` what commits are written to first. */
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from '../../../bench/peers/database-process.ts';
import type { PostgresRig } from '../../support/postgres-rig.ts';

/** The server is stopped in order meanwhile. It must have ended before the disk, mounted at `path`, is unmounted. */
export async function moveToDisk(
  rig: PostgresRig,
  index: number,
  folder: 'base' | 'pg_wal',
  path: string,
): Promise<void> {
  const place = join(rig.servers[index]?.data ?? '', folder);
  await rig.kill(index, 'SIGINT');
  // With its owners and modes.
  await runToEnd({ program: '/bin/cp', args: ['-a', place, path] });
  rmSync(place, { recursive: true });
  symlinkSync(join(path, folder), place);
  await rig.startServer(index);
}
