/**
 * Reads texts that people and other programs have written: UTF-8, with or without a byte order mark.
 *
 * What always holds: a mark at the beginning is its editor's, and no part of what is read, whoever reads it.
 */
import { readFileSync } from 'node:fs';

const MARK = '\ufeff';
/** It leaves a mark out, too. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

export function withoutMark(text: string): string {
  return text.startsWith(MARK) ? text.slice(MARK.length) : text;
}

/** Throws for what is no UTF-8. */
export function textOf(bytes: Uint8Array): string {
  return UTF_8.decode(bytes);
}

/** Throws what `readFileSync` throws. */
export function readTextFile(path: string): string {
  return withoutMark(readFileSync(path, 'utf8'));
}

/** Throws for what is no JSON in UTF-8. */
export function readJson(bytes: Uint8Array): unknown {
  return JSON.parse(textOf(bytes));
}
