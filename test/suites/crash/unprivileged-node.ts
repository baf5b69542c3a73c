/**
 * A node binary to which the modes of files apply: root may read and write whatever it likes, and tests often
 * run as root.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const RIGHTS = '-dac_override,-dac_read_search';

/** Why there can't be one here, in words, or undefined when there can. */
export function whyNoUnprivilegedNode(): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const probe = spawnSync('setpriv', ['--bounding-set', RIGHTS, 'true']);
  return probe.status === 0 ? undefined : 'root can read everything, and setpriv cannot take that away';
}

/** The path of a program that runs node with its arguments; made in `folder` when it is needed. */
export function unprivilegedNode(folder: string): string {
  if (process.getuid?.() !== 0) return process.execPath;
  const script = join(folder, 'unprivileged-node');
  const command = `exec setpriv --bounding-set ${RIGHTS} "${process.execPath}" "$@"`;
  writeFileSync(script, `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  return script;
}
