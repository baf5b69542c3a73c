/**
 * The log of a node: lines of JSON on standard error, and nothing else there.
 *
 * What libraries, worker threads and Node itself write to standard error from JavaScript becomes lines of the log. What
 * native code writes to the descriptor can't be caught; the database's has nothing to say but before it aborts the process.
 */
import { type Logger, pino } from 'pino';

const STANDARD_ERROR = 2;
/** Of a line that doesn't end. */
const LONGEST_LINE = 16 * 1024;

/** As little as `process.stderr` has for those who write there. */
export interface ErrorStream {
  write: NodeJS.WriteStream['write'];
}

export function openLog(level: string): Logger {
  return pino({ name: 'purser', level }, pino.destination({ dest: STANDARD_ERROR, sync: true }));
}

/** From now on, what is written to `stream`, in whole lines, is the message of a warning; until the result is called. */
export function logWhatIsWritten(log: Logger, stream: ErrorStream): () => void {
  const { write } = stream;
  let begun = '';
  const tell = (text: string) => {
    if (text.trim() !== '') log.warn(text.trimEnd());
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
