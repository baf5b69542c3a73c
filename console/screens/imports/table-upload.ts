/**
 * The calls that import a table: the same one again makes nothing twice, so it is sent again when the node went away amid
 * it.
 */
import { ApiFailure } from '../../api/api-failure.ts';
import type { AnswerOf } from '../../api/call-types.ts';
import { upload } from '../../api/upload.ts';
import { patiently, pause } from './patience.ts';

export type TableCall = 'POST /products/import' | 'POST /price-lists/{id}/import';
export type TableAnswer = AnswerOf<TableCall>;

export interface Table {
  readonly call: TableCall;
  /** Of the price list. */
  readonly id: number | undefined;
  readonly file: File;
  /** Empty: as the file itself says, or UTF-8. */
  readonly charset: string;
}

export type Step =
  | { readonly kind: 'sending'; readonly sentBytes: number; readonly totalBytes: number }
  /** For the node, or for the end of another import: a node does one at a time. */
  | { readonly kind: 'waiting' | 'queued' };

interface Sending {
  readonly dryRun?: true;
  readonly leaveOutBadLines?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly signal: AbortSignal;
  readonly onStep: (step: Step) => void;
}

export function sendTable(table: Table, { signal, onStep, ...flags }: Sending): Promise<TableAnswer> {
  const { call, id = 0, file, charset } = table;
  const onProgress = (sent: number) =>
    onStep({ kind: 'sending', sentBytes: Math.min(sent, file.size), totalBytes: file.size });
  const query = { ...flags, charset };
  const given = { path: { id }, query, content: file, contentType: 'text/csv', signal, onProgress };
  const send = async () => {
    for (;;) {
      onProgress(0);
      try {
        return await upload(call, given);
      } catch (error) {
        if (!(error instanceof ApiFailure) || error.status !== 429) throw error;
        onStep({ kind: 'queued' });
        await pause();
        signal.throwIfAborted();
      }
    }
  };
  return patiently(send, signal, () => onStep({ kind: 'waiting' }));
}

/** Whether a failure, or an answer's errors, say that a table may be of another encoding. */
export function isOddlyEncoded(text: string): boolean {
  return text.includes(SAYS_CHARSET);
}

/** In the words of this page, which has a field for that. */
export function withoutQuery(message: string): string {
  return message.replace(SAYS_CHARSET, 'choose Windows-1252 as its encoding');
}

const SAYS_CHARSET = 'say ?charset=windows-1252';
