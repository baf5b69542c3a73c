/**
 * The file `format`: which version the other files of a data folder have. `format` is written last, when all the files
 * are there. Every version of Purser refuses what it does not know, in one line, and changes nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../disk/durable-file.ts';

export const FORMAT_FILE = 'format';
/** The version that this Purser reads and writes. */
export const FORMAT_VERSION = 1;

const FORMAT_TEXT = `purser data folder, version ${FORMAT_VERSION}\n`;

/** Whether it is the text of a folder that this version reads. */
export function isCurrentFormat(text: string): boolean {
  return text === FORMAT_TEXT;
}

/** The file's text, whatever it is. Throws the file system's errors. */
export function readFormatText(folder: string): string {
  return readFileSync(join(folder, FORMAT_FILE), 'utf8');
}

export function writeFormat(folder: string): void {
  writeDurably(join(folder, FORMAT_FILE), FORMAT_TEXT);
}

/** Why this version can't use the folder, in one line. */
export function formatRefusal(folder: string, text: string): string {
  return (
    `the data folder ${folder} has format ${JSON.stringify(text.slice(0, 60).trim())}, and this version of Purser reads ` +
    `${JSON.stringify(FORMAT_TEXT.trim())}: use the version that wrote it, or restore a backup into another folder`
  );
}
