/**
 * Keeps suppliers' sockets and those of name look-ups from taking the last file descriptors: the node's own files
 * must still open, or it would have to stop.
 *
 * The system gives out the lowest descriptor that is free, so a high number says that all below are taken;
 * nothing has to be counted. Rejected: a fixed share of the limit, for buyers' connections take what they take.
 */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';

/** Segments, checks and uploads of a node, and a few operators. */
const RESERVED = 64;

/** Descriptors from this number on are the node's own. Where the system doesn't tell its limit there is none. */
export function descriptorCeiling(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit) - RESERVED;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** `socket` as `net` made it; one that has no descriptor yet, or none any more, takes none. */
export function isBeyond(ceiling: number, socket: object | null): boolean {
  const { _handle: handle } = (socket ?? {}) as { _handle?: { fd?: number } | null };
  return (handle?.fd ?? -1) >= ceiling;
}

/** Whether the next socket would have one below the ceiling; for sockets that nobody sees. */
export function isDescriptorLeft(ceiling: number): boolean {
  try {
    const next = openSync(devNull, 'r');
    closeSync(next);
    return next < ceiling;
  } catch {
    return false;
  }
}
