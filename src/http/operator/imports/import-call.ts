/** A call that imports a table: what its query and its head say, and the answer that all imports have in common. */
import type { Charset } from '../../../tables/text-encoding.ts';
import type { Fields } from '../../../views/operator-views.ts';
import { badRequest, rateLimited } from '../../errors.ts';
import { REASON } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import { UPLOAD_IDLE_TIMEOUT_MS } from '../stock/upload.ts';
import type { ImportErrors } from './import-errors.ts';
import { MAX_TABLE_BYTES, TOO_LONG } from './imported-table.ts';

const CSV = /^text\/csv\s*(;|$)/i;
const BUSY_RETRY_SECONDS = 5;

export const IMPORT_QUERY = {
  dryRun: { type: 'boolean', description: 'With `true` nothing changes: the answer says what would.' },
  leaveOutBadLines: {
    type: 'boolean',
    description: 'With `true`, lines with errors are left out. Default: with one, nothing changes.',
  },
  charset: {
    type: 'string',
    enum: ['windows-1252'],
    description: 'How a text is read that has no byte order mark and is not UTF-8.',
  },
  ...REASON,
} as const;

export interface ImportCall {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly charset: Charset | undefined;
  readonly isDry: boolean;
  readonly leavesOutBadLines: boolean;
}

/** Imports one table at a time: each has its rows in memory. */
export class ImportTurn {
  #isTaken = false;

  /** Carries `work` out, or answers what is wrong with the call, or that another import is under way. */
  take(context: OperatorContext, work: (call: ImportCall) => Promise<void>): void {
    const { request, query } = context;
    // Asked for even when it is not wanted: the transport bounds how much of such a body it reads.
    const chunks = request.streamBody(UPLOAD_IDLE_TIMEOUT_MS);
    if (!CSV.test(request.header('content-type') ?? ''))
      return context.fail(badRequest('The Content-Type must be text/csv.'));
    const said = query.get('charset')?.toLowerCase();
    if (said !== undefined && said !== 'windows-1252')
      return context.fail(badRequest('charset must be windows-1252, or left out.'));
    const isDry = context.flag('dryRun', false);
    const leavesOutBadLines = isDry === undefined ? undefined : context.flag('leaveOutBadLines', false);
    if (isDry === undefined || leavesOutBadLines === undefined) return;
    // Long before the last of it has come.
    if (Number(request.header('content-length') ?? 0) > MAX_TABLE_BYTES)
      return context.fail(badRequest(TOO_LONG));
    if (this.#isTaken)
      return context.fail(rateLimited('Another table is being imported.', BUSY_RETRY_SECONDS));
    this.#isTaken = true;
    const charset: Charset | undefined = said;
    const call = { chunks, charset, isDry, leavesOutBadLines };
    context.runUpload(
      work(call).finally(() => {
        this.#isTaken = false;
      }),
    );
  }
}

export function importFields(
  counts: { readonly created: number; readonly updated: number; readonly unchanged: number },
  errors: ImportErrors,
): Fields {
  const { created, updated, unchanged } = counts;
  return { created, updated, unchanged, errorCount: errors.count, errors: errors.first };
}

/** A sentence about an import that was stopped; `done`: such as `3 prices were set`. */
export function importedBefore(done: string): string {
  return `${done}, and that stays: import the same table again for the rest.`;
}
