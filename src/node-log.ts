/**
 * The log of a node: lines of JSON on standard error, and nothing else there.
 *
 * What libraries, worker threads and Node itself write to standard error from JavaScript becomes lines of the log. What
 * native code writes to the descriptor can't be caught; the database's prints only before it aborts the process.
 *
 * A line that can't be written is lost, and nothing else: the log often lies on the disk that is full.
 */
import { type Logger, pino } from 'pino';

const STANDARD_ERROR = 2;
/** Of lines that could not be written. */
const MOST_UNWRITTEN_BYTES = 1024 * 1024;
/** Of a line that doesn't end. */
const LONGEST_LINE = 16 * 1024;

/** As little as `process.stderr` has for those who write there. */
export interface ErrorStream {
  write: NodeJS.WriteStream['write'];
}

export function openNodeLog(level: string): Logger {
  const destination = pino.destination({ dest: STANDARD_ERROR, sync: true, maxLength: MOST_UNWRITTEN_BYTES });
  destination.on('error', () => {});
  return pino({ name: 'purser', level }, destination);
}

/** From now on whole lines that are written to `stream` are messages of warnings, until the result is called. */
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
