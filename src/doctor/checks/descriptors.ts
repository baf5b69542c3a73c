/** How many files and connections the process may have open: of the running node, else of one started from here. */
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, failed, ok, warning } from '../finding.ts';
import type { Patient } from '../patient.ts';

/** A connection takes one, and so does each file of the database. */
const PLENTY = 4_096;
const LEAST = 256;
/** A file that every node has in its memory. */
const DATABASE = 'checkpoint.mdb';

export function descriptors({ config, running }: Patient): Finding {
  const ofNode = running === undefined ? undefined : limitOfNode(running.pid, config.dataDir);
  return judgeDescriptors(ofNode ?? limitIn('/proc/self/limits'));
}

/** Undefined when the process is another one: the node may be in another container, with a number of that one's. */
export function limitOfNode(pid: number, dataDir: string): number | undefined {
  return isMapped(join(dataDir, DATABASE), pid) ? limitIn(`/proc/${pid}/limits`) : undefined;
}

/** Undefined where the system doesn't tell. */
export function judgeDescriptors(limit: number | undefined): Finding {
  if (limit === undefined) return ok('this system does not tell how many files may be open');
  const found = `${limit} files and connections may be open`;
  const advice = 'allow more: LimitNOFILE= in the unit, or ulimit -n';
  if (limit < LEAST) return failed(`${found}: ${advice}`);
  return limit < PLENTY ? warning(`${found}, and each buyer takes one: ${advice}`) : ok(found);
}

function isMapped(file: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/maps`, 'utf8').includes(` ${realpathSync(file)}\n`);
  } catch {
    return false;
  }
}

function limitIn(file: string): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync(file, 'utf8')) ?? [];
    if (limit === undefined) return undefined;
    return limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(limit);
  } catch {
    return undefined;
  }
}
