/**
 * Reads texts that people and other programs have written: UTF-8, with or without a byte order mark.
 *
 * Invariant: a byte order mark at the beginning is never part of the text that is read.
 */
import { readFileSync } from 'node:fs';

const MARK = '\ufeff';
/** A decoder that also leaves a mark out. */
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
