/** What the statements of several tables share. */

/** SQLSTATE. */
export const DISK_FULL = '53100';

/** Refuses where a commit would wait for nobody. */
export const IS_SYNCHRONOUS = `current_setting('synchronous_standby_names') <> ''`;

/** Before the digits of a bytea. */
const HEX = '\\x';

/** Of a column of type bytea. */
export function bytesOf(text: string | null | undefined): Buffer {
  return Buffer.from(text?.slice(HEX.length) ?? '', 'hex');
}
