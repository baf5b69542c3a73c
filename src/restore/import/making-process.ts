/**
 * The process that makes a folder for an import while the node goes on: it takes memory and a processor for as long as a
 * backup and a restore do, and may die of a folder that is damaged. Who started it removes what it has left.
 */
import { giveWayWhole } from '../../threads/give-way.ts';
import { expectImportable, keyOf, makeImported } from './import-making.ts';
import type { MakingReport, MakingRequest } from './import-messages.ts';

giveWayWhole();
// Without its node nobody would want what it makes.
process.on('disconnect', () => process.exit(1));
process.once('message', (request: MakingRequest) => {
  make(request).then(report, (error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    report({ kind: 'ended', error: text.split('\n')[0] ?? '' });
  });
});

/** Throws an error of one line. */
async function make({ masterKey, ...request }: MakingRequest): Promise<MakingReport> {
  const making = {
    ...request,
    key: keyOf(request.from, masterKey),
    onProgress: () => report({ kind: 'goesOn' }),
  };
  await expectImportable(making);
  report({ kind: 'checked' });
  return { kind: 'ended', made: await makeImported(making), error: null };
}

/** Who started it has heard of its end, and kills it. */
function report(what: MakingReport): void {
  process.send?.(what);
}
