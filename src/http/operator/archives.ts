/**
 * Archives: POST /archives moves old facts out of the data folder, GET /archives tells how that goes, and where the journal
 * begins.
 *
 * That an operator begins one is durable before it begins, and in the journal's next file, which stays.
 */
import type { Fields } from '../../views/operator-views.ts';
import { apiError, badRequest } from '../errors.ts';
import { MOMENT, parseMoment } from './moment.ts';
import { BEGIN_ARCHIVE, LIST_ARCHIVES } from './operations/archives.ts';
import { operatorBody } from './operator-body.ts';
import { bodyRoute, type OperatorRoute, type OperatorServices, operatorRoute } from './operator-route.ts';
import type { ArchiveServices } from './operator-services.ts';
import { OWNERS } from './roles.ts';
import { isRelative, sentence, TARGET } from './target-text.ts';

const FIELDS = {
  before: { ...MOMENT, description: `Facts from before this moment: ${MOMENT.description}.` },
  target: TARGET,
} as const;

const RUNNING = apiError('NOT_READY', 'Another archive is being made: wait until it has ended.');
const IN_CLUSTER = badRequest(
  'A node of a cluster archives nothing: the folders of a cluster have all facts. `purser cluster trim` shortens its log.',
);
const MS_IN_SECONDS = 1_000;

export function archiveRoutes({ archives, clock }: OperatorServices): OperatorRoute[] {
  return [
    bodyRoute(
      'POST /archives',
      BEGIN_ARCHIVE,
      OWNERS,
      operatorBody(FIELDS, ['before', 'target']),
      (context, { before, target }) =>
        context.run(async () => {
          if (archives === undefined) return context.fail(IN_CLUSTER);
          const beforeMs = parseMoment(String(before));
          const refusal = refusalOf(archives, beforeMs, target, clock());
          if (refusal !== undefined) return context.fail(badRequest(sentence(refusal)));
          if (archives.isRunning()) return context.fail(RUNNING);
          archives.endFile(beforeMs);
          await context.record({ action: 'ArchiveBegun' });
          // Another request may have begun one meanwhile.
          if (archives.isRunning()) return context.fail(RUNNING);
          const { archiveId } = archives.begin(target, beforeMs);
          context.succeed(202, { archiveId });
        }),
    ),
    operatorRoute(
      'GET /archives',
      LIST_ARCHIVES,
      (context) => context.succeedWhenDurable(200, archives === undefined ? NOTHING : told(archives)),
      { roles: OWNERS },
    ),
  ];
}

const NOTHING: Fields = { archives: [], baseline: null, daily: null };

function told(archives: ArchiveServices): Fields {
  const daily = archives.daily();
  const baseline = archives.baseline();
  return {
    archives: archives.list().map((row) => ({ ...row })),
    baseline: baseline && {
      seq: baseline.position,
      hash: baseline.hash,
      state: baseline.state,
      archive: baseline.archive,
    },
    daily:
      daily === undefined
        ? null
        : {
            target: daily.target,
            afterSeconds: Math.floor(daily.afterMs / MS_IN_SECONDS),
            last: daily.last,
          },
  };
}

/** A sentence without its end; undefined when all is well. */
function refusalOf(
  archives: ArchiveServices,
  beforeMs: number,
  target: string,
  nowMs: number,
): string | undefined {
  if (Number.isNaN(beforeMs)) return `before must be ${MOMENT.description}`;
  if (beforeMs > nowMs) return 'before must not be in the future';
  if (isRelative(target)) return 'name the folder by its whole path';
  return archives.refusalOf(target);
}
