/**
 * Rows of a cluster's tables in PostgreSQL, as the rest of the program has them, and as text of SQL.
 *
 * Invariant: the columns of `purser_cluster` have one order, in which they are named, written, and read. No text that
 * isn't hexadecimal gets into a statement by this.
 */
import type { Answer } from './postgres-connection.ts';

/** A place in the log, and the newest fact there. */
export interface BasePlace {
  readonly entry: number;
  readonly term: number;
  readonly fact: number;
  /** The hash of the frame that ends with that fact, hexadecimal. */
  readonly hash: string;
}

/** A copy of a folder that has all entries up to its place. */
export interface Base extends BasePlace {
  /** Random, hexadecimal. */
  readonly base: string;
  readonly parts: number;
  /** The SHA-256 of all parts, one behind the other, hexadecimal. */
  readonly sha256: string;
}

export interface ClusterRow extends Base {
  /** The log's id. */
  readonly log: string;
  /** Version of the folders. */
  readonly format: number;
  /** The last entry that the log will ever have; undefined while it goes on. */
  readonly dissolved: number | undefined;
}

export interface NodeRow {
  readonly node: string;
  readonly url: string;
  readonly version: string;
  readonly applied: number;
  /** Seconds since it was there, by PostgreSQL's clock. */
  readonly seenS: number;
}

/** All of `purser_cluster` but its id. */
export const COLUMNS = 'log, format, dissolved, base, entry, term, fact, hash, parts, sha256';

export function clusterRowOf(row: Answer['rows'][number]): ClusterRow {
  const [log, format, dissolved, base, entry, term, fact, hash, parts, sha256] = row;
  return {
    log: String(log),
    format: Number(format),
    dissolved: dissolved === null || dissolved === undefined ? undefined : Number(dissolved),
    base: String(base),
    entry: Number(entry),
    term: Number(term),
    fact: Number(fact),
    hash: String(hash),
    parts: Number(parts),
    sha256: String(sha256),
  };
}

/** `quoted` and `bytea` take hexadecimal digits alone, which need no escaping. */
export function quoted(hex: string): string {
  if (!/^[0-9a-f]*$/.test(hex)) throw new Error(`${JSON.stringify(hex)} is not hexadecimal`);
  return `'${hex}'`;
}

export function bytea(bytes: Buffer): string {
  return `decode(${quoted(bytes.toString('hex'))}, 'hex')`;
}

/** The columns of `purser_cluster` that name a base, from `base` on. */
export function baseValues({ base, entry, term, fact, hash, parts, sha256 }: Base): string {
  return [quoted(base), entry, term, fact, quoted(hash), parts, quoted(sha256)].join(', ');
}
