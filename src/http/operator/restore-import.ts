/**
 * POST /restore/import: the shop goes on with the data folder that was lost, which has turned up.
 *
 * What can be refused is refused by the answer. Then the node makes a folder of it while it goes on, lets go of its own one,
 * and opens the other: connections break for that moment, and `GET /restore` tells how it went.
 */
import { apiError, badRequest } from '../errors.ts';
import { IMPORT } from './operations/restore-import.ts';
import { operatorBody } from './operator-body.ts';
import { bodyRoute, type OperatorRoute, type OperatorServices } from './operator-route.ts';
import { OWNERS } from './roles.ts';

const BODY = {
  folder: {
    type: 'string',
    minLength: 1,
    maxLength: 1_000,
    description: "The data folder that was lost: its whole path on the node's machine.",
  },
  discard: {
    type: 'boolean',
    description: 'Whether what was entered since the restore may be dropped. Default: no.',
  },
  complete: {
    type: 'boolean',
    description:
      'Whether nothing was sold behind the last fact of the folder, because it is the one that the node used last, and no copy of an earlier moment: then sales are opened. Default: no.',
  },
} as const;

const RUNNING = apiError('NOT_READY', 'Another import is under way: wait until it has ended.');
const RELATIVE = badRequest("Name the folder by its whole path on the node's machine.");
const SALES_OPEN = badRequest(
  'Nothing can be imported: sales are open. It is for after a restore that lost something, and before sales are open again.',
);

export function restoreImportRoutes({ engine, imports }: OperatorServices): OperatorRoute[] {
  return [
    bodyRoute(
      'POST /restore/import',
      IMPORT,
      OWNERS,
      operatorBody(BODY, ['folder']),
      (context, { folder, discard = false, complete = false }) => {
        if (!folder.startsWith('/')) return context.fail(RELATIVE);
        if (engine.state.gap === null) return context.failWhenDurable(SALES_OPEN);
        if (imports.isRunning) return context.fail(RUNNING);
        context.run(async () => {
          const request = { folder, discards: discard, isComplete: complete, origin: context.origin };
          const refusal = await imports.begin(request);
          if (refusal === undefined) context.succeed(202, { ...imports.status });
          else context.fail(badRequest(`${refusal.charAt(0).toUpperCase()}${refusal.slice(1)}.`));
        });
      },
    ),
  ];
}
