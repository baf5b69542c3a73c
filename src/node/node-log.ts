/**
 * The log of a node: lines of JSON on standard error, and nothing else there.
 *
 * Texts that libraries, worker threads and Node itself write to standard error from JavaScript become lines of the log.
 * Texts that native code writes to the descriptor can't be caught; the database's prints only before it aborts the
 * process.
 *
 * A line that can't be written is lost, and nothing else: the log often lies on the disk that is full.
 */
import { writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import { codeOf } from '../shared/error-code.ts';

const STANDARD_ERROR = 2;
/** The longest wait for the reader of a full pipe. */
const LONGEST_WAIT_MS = 1_000;
/** Characters that a terminal obeys, and that answers of receivers may have. */
const C1 = /[\u007f-\u009f]/g;
/** The longest piece, in characters, of a line that doesn't end. */
const LONGEST_LINE = 16 * 1024;
/** A line of an error's printed stack; behind the last one, its fields may begin. */
const STACK_LINE = /^\s+at .*?( \{)?$/gm;

/** The part of `process.stderr` that writers use. */
export interface ErrorStream {
  write: NodeJS.WriteStream['write'];
}

export function openNodeLog(level: string): Logger {
  return pino({ name: 'purser', level }, { write: writeLine });
}

/** Rejected: pino's own destination, which keeps what can't be written, and at the end tries to write it for ever. */
function writeLine(line: string): void {
  // JSON escapes the others.
  const bytes = Buffer.from(line.replace(C1, (each) => `\\u00${each.charCodeAt(0).toString(16)}`));
  const untilMs = performance.now() + LONGEST_WAIT_MS;
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(STANDARD_ERROR, bytes, done);
    } catch (error) {
      const isBusy = codeOf(error) === 'EAGAIN';
      if (!isBusy || performance.now() > untilMs) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/**
 * Makes warnings of texts written to `stream` from now on, until the result is called: each write of whole lines one
 * message on one line. Stacks are left out: they are a library's, such as LMDB's when a disk is full.
 */
export function logWhatIsWritten(log: Logger, stream: ErrorStream): () => void {
  const { write } = stream;
  let begun = '';
  const tell = (text: string) => {
    const message = text
      .replace(STACK_LINE, '$1')
      .trimEnd()
      .replace(/\s*\n\s*/g, ' ');
    if (message.trim() !== '') log.warn(message);
  };
  stream.write = (chunk: Uint8Array | string, ...rest: unknown[]): boolean => {
    const text = begun + (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    const end = text.length > LONGEST_LINE ? text.length : text.lastIndexOf('\n') + 1;
    begun = text.slice(end);
    tell(text.slice(0, end));
    const done = rest.at(-1);
    if (typeof done === 'function') process.nextTick(done);
    return true;
  };
  return () => {
    tell(begun);
    stream.write = write;
  };
}
