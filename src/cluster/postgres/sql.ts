/** Pieces of SQL that the statements of several tables share. */
import { ClusterError } from '../cluster-error.ts';

/** SQLSTATE. */
export const DISK_FULL = '53100';

/**
 * The guard in each statement that writes: the statement waits for the quorum whatever its session is set to, and
 * writes nothing where the server would lose or keep back what it confirms. None of that is relied on because it was so
 * before.
 */
export const IS_DURABLE = `(SELECT set_config('synchronous_commit', 'on', true)) = 'on'
      AND current_setting('synchronous_standby_names') <> ''
      AND current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on'`;

/** Before the digits of a bytea. */
const HEX = '\\x';

/** The bytes of a column of type bytea. Throws when the session writes bytes in another form. */
export function bytesOf(text: string | null | undefined): Buffer {
  if (text?.startsWith(HEX) === false)
    throw new ClusterError('PostgreSQL does not write bytes as hexadecimal digits', 'unreachable');
  return Buffer.from(text?.slice(HEX.length) ?? '', 'hex');
}
