/**
 * Nothing is packed that git doesn't know: `docs` and `examples` go into packages as they lie there, and with them would
 * go whatever somebody has left in them, ignored files too. So there must be nothing else.
 *
 * Refused, not left out: npm takes folders whole, and what was meant for the package but never added would be missing.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './release.mjs';

const PACKED = ['docs', 'examples'];
const MOST_NAMED = 3;

/** Throws an error that names some of them. Without git, nobody knows. */
export function refuseStrangers(checkout) {
  if (!existsSync(join(checkout, '.git'))) return;
  const listed = execFileSync('git', ['ls-files', '--others', '-z', '--', ...PACKED], {
    cwd: checkout,
    encoding: 'utf8',
  });
  const names = listed.split('\0').filter((name) => name !== '');
  if (names.length === 0) return;
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  const named = `${names.slice(0, MOST_NAMED).join(', ')}${more}`;
  throw new Error(`git does not know ${named}, which would be packed: add them to git, or move them away`);
}

if (process.argv[1] === import.meta.filename) {
  try {
    refuseStrangers(root);
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
  }
}
