/**
 * How the daily archive is, as the running node says; else whether its target can be read, and has what the folder no longer
 * has. By names alone: whether that is whole, `purser verify --archive` proves.
 */
import { ARCHIVE, parseArchiveName } from '../../archive/archive-chunk.ts';
import { openTarget } from '../../backup/target/open-target.ts';
import { firstFactOf } from '../../persistence/journal/open-log.ts';
import { type Finding, failed, ok, warning } from '../finding.ts';
import type { Patient } from '../patient.ts';

const TARGET_MS = 10_000;
/** As the alert ARCHIVE. */
const OVERDUE_MS = 2 * 24 * 60 * 60_000;
const BY_HAND = ok('old facts are archived when somebody calls purser archive');

export async function archive({ config, env, running, isBegun }: Patient): Promise<Finding> {
  if (running?.archives !== undefined) return judgeDaily(running.archives.daily, Date.now());
  const { archiveTarget: target, archiveAfterMs, dataDir } = config;
  const isDaily = archiveAfterMs !== 0;
  if (target === undefined)
    return isDaily ? failed('--archive-after: say with --archive-target where old facts go') : BY_HAND;
  if (!isDaily) return failed('--archive-target: say with --archive-after how old facts are that go there');
  const missing = isBegun ? firstFactOf(dataDir) - 1 : 0;
  try {
    return judgePlace(target, missing, await lastFactAt(target, env, dataDir));
  } catch (error) {
    if (missing === 0 && !target.startsWith('s3:')) return ok(`the first archive begins at ${target}`);
    return failed(`the archive's target cannot be read: ${(error as Error).message}`);
  }
}

async function lastFactAt(text: string, env: Patient['env'], dataFolder: string): Promise<number> {
  const signal = AbortSignal.timeout(TARGET_MS);
  const target = openTarget(text, env, { makesFolder: false, dataFolder });
  try {
    let last = 0;
    for await (const { name } of target.list(ARCHIVE, { signal }))
      last = Math.max(last, parseArchiveName(name)?.last ?? 0);
    return last;
  } finally {
    await target.close();
  }
}

/** `missing`: the last fact that the folder doesn't have any more; `last`: the last one that the target has. */
export function judgePlace(target: string, missing: number, last: number): Finding {
  if (last >= missing) return ok(`${target} can be read, and has facts up to ${last}`);
  return failed(
    `${target} has facts up to ${last} only, and the data folder has none up to ${missing}: name the target that has them`,
  );
}

/** `daily`: of `GET /archives`. */
export function judgeDaily(daily: unknown, nowMs: number): Finding {
  if (typeof daily !== 'object' || daily === null) return BY_HAND;
  const { target, last } = daily as { target?: unknown; last?: unknown };
  if (typeof last !== 'object' || last === null) return ok(`no daily archive to ${target} has ended yet`);
  const { ok: isDone, at, held, error } = last as Readonly<Record<string, unknown>>;
  if (isDone !== true) return failed(`the last daily archive failed, so the data folder grows: ${error}`);
  if (typeof held === 'string') return warning(`the daily archive moves less than it should: ${held}`);
  if (typeof at === 'number' && nowMs - at > OVERDUE_MS)
    return warning(`no daily archive to ${target} has ended for two days: purser archive status`);
  return ok(`the last daily archive to ${target} succeeded`);
}
