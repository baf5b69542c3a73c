/**
 * Reserves the last file descriptors for the node's own files: suppliers' sockets and name look-ups must not take them,
 * or the node would have to stop.
 *
 * The system gives out the lowest free descriptor, so a high number means that all below are taken; nothing has to be
 * counted. Rejected: a fixed share of the limit, because the number of buyers' connections varies.
 */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';

/** Segments, checks and uploads of a node, and a few operators. */
const RESERVED = 64;

/** The share of a small limit that is reserved at most. */
const MOST_RESERVED = 1 / 8;

/** Descriptors from this number on are reserved; infinite where the system doesn't tell its limit. */
export function descriptorCeiling(reserved = RESERVED): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    if (limit === undefined || limit === 'unlimited') return Number.POSITIVE_INFINITY;
    return Number(limit) - Math.min(reserved, Math.floor(Number(limit) * MOST_RESERVED));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Whether the socket of `net` has a reserved descriptor. False for one without a descriptor. */
export function isBeyond(ceiling: number, socket: object | null): boolean {
  const { _handle: handle } = (socket ?? {}) as { _handle?: { fd?: number } | null };
  return (handle?.fd ?? -1) >= ceiling;
}

/** Whether the next socket would get a descriptor below the ceiling; for sockets that c-ares opens. */
export function isDescriptorLeft(ceiling: number): boolean {
  return nextDescriptor() < ceiling;
}

/** Number of the next descriptor; infinite when none is left. */
export function nextDescriptor(): number {
  try {
    const next = openSync(devNull, 'r');
    closeSync(next);
    return next;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
