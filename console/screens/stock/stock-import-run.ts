/**
 * The phase of an import: the dry run, which begins when a file is chosen; the import itself; and the wait for a node
 * that went away amid either. Both are repeated then: the import has a key, by which the node takes it in once.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { isAborted } from '../../api/api-failure.ts';
import { newKey } from '../../parts/dialogs/action-dialog.tsx';
import { keepPlace } from '../../shell/router.ts';
import { patiently } from '../imports/patience.ts';
import {
  type Added,
  addedLot,
  addStock,
  type DryRun,
  dryRun,
  type ImportRequest,
  type Lot,
  newestLotId,
  type TableChoice,
  type UnderWay,
} from './stock-upload.ts';

export type Phase =
  | { readonly kind: 'empty' }
  | { readonly kind: 'checking' | 'importing'; readonly sentBytes: number; readonly totalBytes: number }
  | { readonly kind: 'checked' }
  /** For the node; or, when it was cancelled, whether that was in time. */
  | { readonly kind: 'waiting' | 'cancelling' };

/** A dry run's look at the file, whatever its items are. */
export type FileLook = Pick<DryRun, 'encoding' | 'table'>;

const NOTHING_IN_IT = new Error(
  'There is no item in this file: it is empty, or has empty lines alone. Choose one with an item on each line.',
);

/** `onEnd` is told what was added, or that it was cancelled in time. */
export function useStockImport(productId: number, onEnd: (added: Added | undefined) => void) {
  const [phase, setPhase] = useState<Phase>({ kind: 'empty' });
  const [dry, setDry] = useState<DryRun>();
  /** The look of the last dry run at the file, while there is another. */
  const [look, setLook] = useState<FileLook>();
  const [failure, setFailure] = useState<unknown>(undefined);
  const controller = useRef<AbortController>(undefined);
  /** The key of the file that was checked: an import of it that is tried again is the same one. */
  const key = useRef(newKey());

  useEffect(() => () => controller.current?.abort(), []);
  const isImporting = phase.kind === 'importing';
  useEffect(
    () => (isImporting ? keepPlace('The import is under way: Cancel ends it.') : undefined),
    [isImporting],
  );

  const begin = () => {
    controller.current?.abort();
    const mine = new AbortController();
    controller.current = mine;
    setFailure(undefined);
    return mine.signal;
  };
  const fail = (error: unknown, signal: AbortSignal, kind: 'empty' | 'checked') => {
    if (signal.aborted || isAborted(error)) return;
    setFailure(error);
    setPhase({ kind });
  };
  const progress = (kind: 'checking' | 'importing', file: File, sentBytes: number) =>
    setPhase({ kind, sentBytes: Math.min(sentBytes, file.size), totalBytes: file.size });

  /** A file, or another column of it. */
  const check = async (file: File | undefined, table?: TableChoice) => {
    const signal = begin();
    key.current = newKey();
    setDry(undefined);
    if (table === undefined) setLook(undefined);
    if (file === undefined) return setPhase({ kind: 'empty' });
    try {
      const onProgress = (sent: number) => progress('checking', file, sent);
      const send = () => {
        onProgress(0);
        return dryRun({ productId, file, table }, { signal, onProgress });
      };
      const found = await patiently(send, signal, () => setPhase({ kind: 'waiting' }));
      if (signal.aborted) return;
      if (found.wouldAdd + found.duplicateLineCount + found.badLineCount === 0) throw NOTHING_IN_IT;
      setDry(found);
      setLook(found);
      setPhase({ kind: 'checked' });
    } catch (error) {
      fail(error, signal, 'empty');
    }
  };

  const run = async (request: ImportRequest) => {
    if (dry === undefined) return;
    const signal = begin();
    const onProgress = (sent: number) => progress('importing', request.file, sent);
    onProgress(0);
    try {
      const steps = { signal, onProgress, onPhase: setPhase };
      onEnd(await importOnce({ ...request, idempotencyKey: key.current }, dry.wouldAdd, steps));
    } catch (error) {
      if (isAborted(error)) onEnd(undefined);
      else fail(error, signal, 'checked');
    }
  };

  return { phase, dry, look, failure, setFailure, check, run, cancel: () => controller.current?.abort() };
}

interface Steps extends UnderWay {
  readonly onPhase: (phase: Phase) => void;
}

/** The items added, also by an import that was cancelled too late; undefined for one that was cancelled in time. */
async function importOnce(
  request: ImportRequest & { readonly idempotencyKey: string },
  wouldAdd: number,
  { signal, onProgress, onPhase }: Steps,
): Promise<Added | undefined> {
  let sentBytes = 0;
  const lotBefore = await newestLotId(request.productId, signal);
  const progress = (sent: number) => {
    sentBytes = sent;
    onProgress(sent);
  };
  const send = () =>
    addStock(request, { signal, onProgress: progress }).catch(async (error: unknown) => {
      if (!isAborted(error)) throw error;
      onPhase({ kind: 'cancelling' });
      const lot = await addedLot(request, lotBefore, wouldAdd, sentBytes >= request.file.size);
      return lot && ofLot(lot);
    });
  return await patiently(send, signal, () => onPhase({ kind: 'waiting' }));
}

function ofLot({ added, lotId }: Lot): Added {
  return { added, lotId, duplicates: 0 };
}
