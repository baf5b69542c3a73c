/**
 * Whether a file may be opened with LMDB. With one or two file descriptors left it ends the process by a wild pointer
 * instead of reporting that it needs three, so there must be some to spare before it is tried.
 *
 * Found out by taking them: there is no call that tells. Another thread may still take them before LMDB does, so
 * there is one more than it needs.
 */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

const SPARE = 4;

/** Throws `EMFILE` or `ENFILE` when too few are left. */
export function proveSpareDescriptors(): void {
  const taken: number[] = [];
  try {
    while (taken.length < SPARE) taken.push(openSync(devNull, 'r'));
  } finally {
    for (const descriptor of taken) closeSync(descriptor);
  }
}

export function hasSpareDescriptors(): boolean {
  try {
    proveSpareDescriptors();
    return true;
  } catch {
    return false;
  }
}
