/**
 * The calls of an import: the dry run, the import, and whether one that was cancelled has been added.
 *
 * All of an upload becomes a lot, or nothing does. So after a cancellation the lots say what came of it: the one that looks
 * like this is new, or there is none.
 */
import { NodeAway } from '../../api/api-failure.ts';
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { upload } from '../../api/upload.ts';
import { pause } from '../imports/patience.ts';

export type DryRun = Schema<'StockDryRun'>;
export type Added = Pick<Schema<'StockAdded'>, 'added' | 'duplicates' | 'lotId' | 'badLineCount'>;
export type Lot = Schema<'Lot'>;

/** The operator's label for the lot. */
export interface LotLabel {
  readonly source: string | undefined;
  readonly costUsdt: number | undefined;
  readonly reference: string | undefined;
}

/** How a file that is a table is read. */
export interface TableChoice {
  readonly column: string;
  readonly charset: string | undefined;
}

export interface ImportRequest {
  readonly productId: number;
  readonly file: File;
  readonly table: TableChoice | undefined;
  readonly label: LotLabel;
  readonly leaveOutBadLines: boolean;
  readonly reason: string | undefined;
}

export interface UnderWay {
  readonly signal: AbortSignal;
  readonly onProgress: (sentBytes: number) => void;
}

const CALL = 'POST /products/{id}/stock';
const LINES = 'text/plain; charset=utf-8';
const TABLE = 'text/csv';
const LOOKS = 5;
const NEWEST_LOTS = 20;

export type FileToImport = Pick<ImportRequest, 'productId' | 'file' | 'table'>;

export async function dryRun(given: FileToImport, underWay: UnderWay): Promise<DryRun> {
  return (await send(given, { dryRun: true }, underWay)) as DryRun;
}

export async function addStock(
  request: ImportRequest & { readonly idempotencyKey: string },
  underWay: UnderWay,
): Promise<Added> {
  const { label, leaveOutBadLines, reason, idempotencyKey } = request;
  const query = { ...label, reason, ...(leaveOutBadLines ? { leaveOutBadLines } : {}) };
  return (await send(request, query, { ...underWay, idempotencyKey })) as Schema<'StockAdded'>;
}

function send(
  { productId: id, file: content, table }: FileToImport,
  query: Readonly<Record<string, unknown>>,
  underWay: UnderWay & { readonly idempotencyKey?: string },
) {
  const contentType = table === undefined ? LINES : TABLE;
  return upload(CALL, { path: { id }, query: { ...query, ...table }, content, contentType, ...underWay });
}

/** 0 when there is none. */
export async function newestLotId(productId: number, signal: AbortSignal): Promise<number> {
  const { lots } = await call('GET /products/{id}/lots', {
    path: { id: productId },
    query: { limit: 1 },
    signal,
  });
  return lots[0]?.lotId ?? 0;
}

/**
 * The lot that came of an import that was cancelled. `afterLotId` was the newest before; `count`: how many items it must
 * have. A node that had everything may be at work on it still: then it is looked for several times.
 */
export async function addedLot(
  { productId, label }: ImportRequest,
  afterLotId: number,
  count: number,
  isAllSent: boolean,
): Promise<Lot | undefined> {
  for (let look = 1; ; look += 1) {
    const lots = await newestLots(productId);
    const lot = lots.find((one) => one.lotId > afterLotId && one.added === count && hasLabel(one, label));
    if (lot !== undefined || !isAllSent || look === LOOKS) return lot;
    await pause();
  }
}

async function newestLots(productId: number): Promise<readonly Lot[]> {
  for (;;) {
    try {
      const page = { path: { id: productId }, query: { limit: NEWEST_LOTS } };
      return (await call('GET /products/{id}/lots', page)).lots;
    } catch (error) {
      if (!(error instanceof NodeAway)) throw error;
      await pause();
    }
  }
}

function hasLabel(lot: Lot, { source, costUsdt, reference }: LotLabel): boolean {
  return lot.source === source && lot.costUsdt === costUsdt && lot.reference === reference;
}
