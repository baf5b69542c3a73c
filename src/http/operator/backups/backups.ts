/**
 * Backups: POST /backups begins a single one, GET /backups lists them, GET /backups/status tells how the continuous one is,
 * POST /backups/drill begins a drill of that.
 *
 * That an operator begins a backup is durable before it begins: a copy of all texts and balances leaves the folder.
 */
import type { Fields } from '../../../views/operator-views.ts';
import { apiError, badRequest } from '../../errors.ts';
import { noFields, operatorBody } from '../operator-body.ts';
import { bodyRoute, type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { OWNERS } from '../roles.ts';
import { BEGIN_BACKUP, BEGIN_DRILL, GET_BACKUP_STATUS, LIST_BACKUPS } from './backup-operations.ts';
import { isRelative, sentence, TARGET } from './target-text.ts';

const RUNNING = apiError('NOT_READY', 'Another backup is being made: wait until it has ended.');
const NO_BACKUP = badRequest('This node has no continuous backup: start it with --backup TARGET.');
const MS_IN_SECONDS = 1_000;

export function backupRoutes({ backups, drills }: OperatorServices): OperatorRoute[] {
  return [
    bodyRoute(
      'POST /backups',
      BEGIN_BACKUP,
      OWNERS,
      operatorBody({ target: TARGET }, ['target']),
      (context, { target }) =>
        context.run(async () => {
          const refusal = isRelative(target)
            ? 'name the folder by its whole path'
            : backups.refusalOf(target);
          if (refusal !== undefined) return context.fail(badRequest(sentence(refusal)));
          if (!backups.isRunning()) await context.record({ action: 'BackupBegun' });
          // Another request may have begun one meanwhile.
          if (backups.isRunning()) return context.fail(RUNNING);
          const { backupId } = backups.begin(target);
          context.succeed(202, { backupId });
        }),
    ),
    operatorRoute(
      'GET /backups',
      LIST_BACKUPS,
      (context) => context.succeed(200, { backups: backups.list().map((backup) => ({ ...backup })) }),
      { roles: OWNERS },
    ),
    operatorRoute(
      'GET /backups/status',
      GET_BACKUP_STATUS,
      (context) => context.succeed(200, statusOf(backups.status(), drills)),
      {
        roles: OWNERS,
      },
    ),
    bodyRoute('POST /backups/drill', BEGIN_DRILL, OWNERS, noFields(), (context) =>
      context.run(async () => {
        if (drills === undefined) return context.fail(NO_BACKUP);
        if (!drills.isRunning) await context.record({ action: 'DrillBegun' });
        drills.begin();
        context.succeed(202, { drill: drills.last });
      }),
    ),
  ];
}

function statusOf(
  status: ReturnType<OperatorServices['backups']['status']>,
  drills: OperatorServices['drills'],
): Fields {
  return {
    target: status?.target ?? null,
    lagSeconds: status === undefined ? null : Math.ceil(status.lagMs / MS_IN_SECONDS),
    position: status?.position ?? null,
    drill: drills?.last ?? null,
    drilling: drills?.isRunning ?? false,
    fenced: status?.isFenced ?? false,
    error: status?.error ?? drillTrouble(drills),
  };
}

function drillTrouble(drills: OperatorServices['drills']): string | null {
  return drills?.waitsFor == null ? null : `the drill is ${drills.waitsFor}`;
}
