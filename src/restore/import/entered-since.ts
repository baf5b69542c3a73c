/**
 * What a restored folder has that the one that was lost does not: an import drops it, so it must be nothing that was
 * answered to a buyer, and nothing else unless the operator says so.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Fork } from '../../engine/epochs.ts';
import type { FactKind } from '../../engine/fact.ts';
import type { LogReader } from '../../persistence/journal/frame-log.ts';
import { JournalReader } from '../../persistence/journal/journal-reader.ts';
import { RestoreError } from '../restore-error.ts';

/** The epoch with which a restored folder began, and its fork. */
export interface BegunEpoch extends Fork {
  readonly epoch: number;
}

/** What may be recorded between a restore and an import without being lost: it tells nothing of the shop, or is proved there. */
const HARMLESS: ReadonlySet<FactKind> = new Set([
  'EpochBegun',
  'OrderRecovered',
  'OrderAmended',
  'DebitSettled',
  'ItemsQuarantined',
  'QuarantineEnded',
  'OperatorActed',
  'ItemTextsShown',
  'ItemsSearched',
  'EventGroupClosed',
  'SupplierStockChanged',
  'WebhookResealed',
  'SupplierResealed',
] satisfies FactKind[]);
/** These were answered to buyers: an import would take them back. */
const SALES: ReadonlySet<FactKind> = new Set([
  'SalesOpened',
  'OrderPlaced',
  'OrderPaid',
  'HoldPlaced',
] satisfies FactKind[]);
/** A node that serves answers others in between. */
const GROUPS_A_TURN = 500;

/** Of a shop that nothing was lost of. */
export function notRestored(folder: string): RestoreError {
  return new RestoreError(
    `${folder} was not restored with a gap: there is nothing that another folder could close`,
  );
}

/** Reads on from the fork. Rejects with `RestoreError`. */
export async function expectNothingSince(
  log: LogReader,
  { epoch, position }: BegunEpoch,
  discards: boolean,
): Promise<void> {
  const journal = JournalReader.at(log, position);
  if (journal === undefined) throw new RestoreError(`the journal does not reach epoch ${epoch}`);
  for (let isAtEnd = false; !isAtEnd; await nextTurn()) {
    let groups = 0;
    isAtEnd = true;
    for (const { facts, firstSequence } of journal.read()) {
      for (const [index, { kind }] of facts.entries()) {
        if (firstSequence + index > position) judge(kind, firstSequence + index, discards);
      }
      groups += 1;
      isAtEnd = groups < GROUPS_A_TURN;
      if (!isAtEnd) break;
    }
  }
}

function judge(kind: FactKind, sequence: number, discards: boolean): void {
  const what = `${kind} (fact ${sequence})`;
  if (SALES.has(kind))
    throw new RestoreError(`the shop has sold since the restore, ${what}: an import would take that back`);
  if (discards || HARMLESS.has(kind)) return;
  throw new RestoreError(
    `since the restore something was entered that the old folder does not have, ${what}: an import drops it; ` +
      'add --discard ("discard": true), and enter it again afterwards',
  );
}
