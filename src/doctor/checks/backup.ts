/** How old the newest backup is: as the running node says, else as the target does. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listManifests } from '../../backup/manifests.ts';
import { openTarget } from '../../backup/target/open-target.ts';
import { MANIFESTS } from '../../backup/target-layout.ts';
import { formatDuration } from '../../shared/duration.ts';
import { type Finding, failed, ok, together, warning } from '../finding.ts';
import type { Patient } from '../patient.ts';

const TARGET_MS = 10_000;
/** As the alert BACKUP_BEHIND. */
const BEHIND_MS = 5 * 60_000;
/** The age of a backup that is old; whatever gathers the newest facts comes once a day by default. */
const OLD_MS = 2 * 24 * 60 * 60_000;
const NONE =
  'no backup is kept: start the node with --backup TARGET, or call `purser backup TARGET` regularly';

export async function backup({ config, env, running, isBegun }: Patient): Promise<Finding> {
  if (running?.backup !== undefined) return judgeStatus(running.backup, Date.now());
  if (config.backup === undefined)
    return warning(
      running === undefined
        ? NONE
        : 'the running node does not say how its backup is: give this command its token',
    );
  const signal = AbortSignal.timeout(TARGET_MS);
  try {
    const target = openTarget(config.backup, env, { makesFolder: false, dataFolder: config.dataDir });
    try {
      const [newest] = await listManifests(target, [MANIFESTS], signal);
      return judgeTarget(newest?.at, isBegun ? lastWriteMs(config.dataDir) : undefined);
    } finally {
      await target.close();
    }
  } catch (error) {
    const isNew = !isBegun && !config.backup.startsWith('s3:');
    if (isNew) return ok(`the first start begins a backup at ${config.backup}`);
    return failed(`the backup's target cannot be read: ${(error as Error).message}`);
  }
}

/** `status`: of `GET /backups/status`. */
export function judgeStatus(status: Readonly<Record<string, unknown>>, nowMs: number): Finding {
  const { target, lagSeconds, fenced, error, drill } = status;
  if (target === null) return warning(NONE);
  if (fenced === true)
    return failed(
      `another node ships to ${target}, so this one has stopped to: see docs/backups.md, Fencing`,
    );
  const lagMs = typeof lagSeconds === 'number' ? lagSeconds * 1_000 : undefined;
  const trouble = typeof error === 'string' ? ` (${error})` : '';
  const isBehind = lagMs === undefined || lagMs >= BEHIND_MS;
  const lag = lagMs === undefined ? 'is not known yet' : `is ${formatDuration(lagMs)} behind`;
  const shipping = isBehind
    ? warning(`the backup at ${target} ${lag}${trouble}: purser backup status says why`)
    : ok(`the backup at ${target} ${lag}`);
  return together([shipping, judgeDrill(drill, nowMs)]);
}

function judgeDrill(drill: unknown, nowMs: number): Finding {
  if (typeof drill !== 'object' || drill === null)
    return warning('no drill has proved it yet: purser backup drill');
  const { ok: isProved, at, error } = drill as { ok?: unknown; at?: unknown; error?: unknown };
  if (isProved !== true)
    return failed(
      `the last drill failed (${error}): do not count on this backup before you have mended that`,
    );
  const age = typeof at === 'number' ? ageText(nowMs - at) : 'some time';
  return ok(`a drill proved it ${age} ago`);
}

/** `newestMs`: of the newest backup that is whole; `writtenMs`: when the folder was last written to. Unix milliseconds. */
export function judgeTarget(newestMs: number | undefined, writtenMs: number | undefined): Finding {
  if (writtenMs === undefined) return ok('the folder has nothing yet that could be backed up');
  if (newestMs === undefined)
    return failed('the target has no backup: start the node, and look at purser backup status');
  const found = `the newest backup is of ${new Date(newestMs).toISOString()}`;
  if (writtenMs - newestMs < OLD_MS) return ok(found);
  return warning(
    `${found}, and the folder was written to ${ageText(writtenMs - newestMs)} later: look at purser backup status`,
  );
}

function ageText(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}

function lastWriteMs(folder: string): number {
  const times = readdirSync(folder)
    .filter((name) => name.startsWith('journal-'))
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.max(0, ...times);
}
