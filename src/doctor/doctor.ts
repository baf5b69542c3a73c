/**
 * All checks, in the order in which they are told: what a node would meet, and neither its start, its alerts nor
 * `purser status` and `purser backup status` say. Each looks at one thing and says what to do about it; none needs
 * another's result, so they run at the same time, but the disk's: it is measured while nothing else is done.
 */

import { type CheckedMachine, lookAt, type Visit } from './checked-machine.ts';
import { clock } from './checks/clock.ts';
import { descriptors } from './checks/descriptors.ts';
import { diskHonesty } from './checks/disk-honesty.ts';
import { diskSync } from './checks/disk-sync.ts';
import { dns } from './checks/dns.ts';
import { folder } from './checks/folder.ts';
import { init } from './checks/init.ts';
import { log } from './checks/log.ts';
import { masterKey } from './checks/master-key.ts';
import { permissions } from './checks/permissions.ts';
import { settings } from './checks/settings.ts';
import { tls } from './checks/tls.ts';
import { type Finding, failed } from './finding.ts';

export interface Check extends Finding {
  readonly name: string;
}

type Look = (machine: CheckedMachine) => Finding | Promise<Finding>;

const CHECKS = {
  settings,
  folder,
  permissions,
  'disk-sync': diskSync,
  'disk-honesty': diskHonesty,
  descriptors,
  init,
  clock,
  dns,
  tls,
  'master-key': masterKey,
  log,
} as const satisfies Record<string, Look>;

export const CHECK_NAMES: readonly string[] = Object.keys(CHECKS);

/** Never rejects because of what is examined: a look that fails is a check that failed. */
export async function examine(visit: Visit): Promise<Check[]> {
  const machine = await lookAt(visit);
  const measured = await looked('disk-sync', diskSync, machine);
  return await Promise.all(
    Object.entries(CHECKS).map(([name, look]) =>
      name === measured.name ? measured : looked(name, look, machine),
    ),
  );
}

async function looked(name: string, look: Look, machine: CheckedMachine): Promise<Check> {
  try {
    return { name, ...(await look(machine)) };
  } catch (error) {
    return { name, ...failed(`the check itself failed: ${(error as Error).message.split('\n', 1)[0]}`) };
  }
}

/** `state  name  advice`, aligned. */
export function reportLines(checks: readonly Check[]): string[] {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks.map(({ name, state, advice }) => `${state.padEnd(7)}  ${name.padEnd(width)}  ${advice}`);
}
