/**
 * The file `format`: which version the other files of a data folder have. `format` decides: it is written last, when
 * all the files are there, and each change of it is one rename.
 *
 * purser data folder, version 16 purser data folder, version 16, being replaced by version 17 the folder of version 17
 * is proved, and the names of the files are being changed
 *
 * Every version refuses what it does not know, so the second form also keeps other versions away.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../disk/durable-file.ts';

export const FORMAT_FILE = 'format';
/** The version that this Purser reads and writes. */
export const FORMAT_VERSION = 16;
/** The oldest version that this Purser makes a folder of its own version from. */
export const OLDEST_VERSION = 13;

export interface FolderFormat {
  readonly version: number;
  /** The version whose files are taking the place of these. */
  readonly replacedBy?: number;
}

const FORM = /^purser data folder, version (\d{1,9})(?:, being replaced by version (\d{1,9}))?\n$/;

/** The format as it stands in the file, without the end of the line. */
export function formatText({ version, replacedBy }: FolderFormat): string {
  const text = `purser data folder, version ${version}`;
  return replacedBy === undefined ? text : `${text}, being replaced by version ${replacedBy}`;
}

/** Undefined when it is none. */
export function parseFormat(text: string): FolderFormat | undefined {
  const [, version, replacedBy] = FORM.exec(text) ?? [];
  if (version === undefined) return undefined;
  return replacedBy === undefined
    ? { version: Number(version) }
    : { version: Number(version), replacedBy: Number(replacedBy) };
}

/** The file's text, whatever it is. Throws the file system's errors. */
export function readFormatText(folder: string): string {
  return readFileSync(join(folder, FORMAT_FILE), 'utf8');
}

export function writeFormat(folder: string, format: FolderFormat): void {
  writeDurably(join(folder, FORMAT_FILE), `${formatText(format)}\n`);
}
