/** How many files and connections the process may have open: of a node that is started as this command was. */
import { readFileSync } from 'node:fs';
import { type Finding, failed, ok, warning } from '../finding.ts';

/** A connection takes one, and so does each file of the database. */
const PLENTY = 4_096;
const LEAST = 256;

export function descriptors(): Finding {
  return judgeDescriptors(ownLimit());
}

/** `limit`: undefined where the system doesn't tell. */
export function judgeDescriptors(limit: number | undefined): Finding {
  if (limit === undefined) return ok('this system does not tell how many files may be open');
  const found = `${limit} files and connections may be open`;
  const advice = 'allow more: LimitNOFILE= in the unit, or ulimit -n';
  if (limit < LEAST) return failed(`${found}: ${advice}`);
  return limit < PLENTY ? warning(`${found}, and each buyer takes one: ${advice}`) : ok(found);
}

function ownLimit(): number | undefined {
  try {
    const [, limit] =
      /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    if (limit === undefined) return undefined;
    return limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(limit);
  } catch {
    return undefined;
  }
}
