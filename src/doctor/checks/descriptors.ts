/** How many files and connections the process may have open: of the running node, else of one started from here. */
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../shared/error-code.ts';
import { type Finding, failed, ok, warning } from '../finding.ts';
import type { Patient } from '../patient.ts';

/** A connection takes one, and so does each file of the database. */
const PLENTY = 4_096;
const LEAST = 256;
/** A file that every node has in its memory. */
const DATABASE = 'checkpoint.mdb';

interface Limit {
  /** Undefined where the system doesn't tell. */
  readonly limit: number | undefined;
  /** The process that has it, when this user may not look into it, as into one with a user namespace of its own. */
  readonly hiddenPid?: number;
}

export function descriptors({ config, running }: Patient): Finding {
  const ofNode = running === undefined ? undefined : limitOfNode(running.pid, config.dataDir);
  return judgeDescriptors(ofNode ?? { limit: limitIn('/proc/self/limits') });
}

/** Undefined when the process is another one: the node may be in another container, with a number of that one's. */
export function limitOfNode(pid: number, dataDir: string): Limit | undefined {
  const file = `/proc/${pid}/limits`;
  switch (hasMapped(pid, join(dataDir, DATABASE))) {
    case true:
      return { limit: limitIn(file) };
    case undefined:
      return { limit: limitIn(file), hiddenPid: pid };
    case false:
      return undefined;
  }
}

export function judgeDescriptors({ limit, hiddenPid }: Limit): Finding {
  if (limit === undefined && hiddenPid !== undefined)
    return warning('this user may not read the limits of the running node: call this command as root');
  if (limit === undefined) return ok('this system does not tell how many files may be open');
  const whose =
    hiddenPid === undefined
      ? ''
      : ` by process ${hiddenPid}; this user may not see whether that is the node, or has its number in another container`;
  const found = `${limit} files and connections may be open${whose}`;
  const advice = 'allow more: LimitNOFILE= in the unit, or ulimit -n';
  if (limit < LEAST) return failed(`${found}: ${advice}`);
  return limit < PLENTY ? warning(`${found}, and each buyer takes one: ${advice}`) : ok(found);
}

/** Undefined when this user may not know. */
function hasMapped(pid: number, file: string): boolean | undefined {
  try {
    return readFileSync(`/proc/${pid}/maps`, 'utf8').includes(` ${realpathSync(file)}\n`);
  } catch (error) {
    const code = codeOf(error);
    return code === 'EACCES' || code === 'EPERM' ? undefined : false;
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
