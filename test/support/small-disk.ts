/**
 * A file system of its own that is really full when it says so: a tmpfs, mounted for one test.
 *
 * Needs Linux and root. A quota or a fake `write` was rejected: neither refuses in the places where a full
 * disk does, such as a page of a mapped file or a rename.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface SmallDisk {
  readonly path: string;
  /**
   * Takes all the room there is but `leftBytes`, and what has become free since the last call. Returns the bytes taken
   * now.
   */
  fill(leftBytes?: number): number;
  /** Gives it back. */
  free(): void;
  makeReadOnly(): void;
  unmount(): void;
}

/** Why there can't be one here, in words, or undefined when there can. */
export function whyNoSmallDisk(): string | undefined {
  if (process.platform !== 'linux') return 'mounting a small disk needs Linux';
  if (process.getuid?.() !== 0) return 'mounting a small disk needs root';
  const probe = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], {
    encoding: 'utf8',
  });
  return probe.status === 0 ? undefined : 'this machine does not allow mounts';
}

export function mountSmallDisk(parent: string, sizeMegabytes: number): SmallDisk {
  const path = join(parent, 'small-disk');
  mkdirSync(path);
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMegabytes}m`, 'purser-test', path], {
    encoding: 'utf8',
  });
  if (mount.status !== 0) throw new Error(`mount: ${mount.stderr}`);
  const ballast = join(path, 'ballast');
  return {
    path,
    fill: (leftBytes = 0) => fill(ballast, leftBytes),
    free: () => rmSync(ballast, { force: true }),
    makeReadOnly: () => {
      const remount = spawnSync('mount', ['-o', 'remount,ro', path], { encoding: 'utf8' });
      if (remount.status !== 0) throw new Error(`mount: ${remount.stderr}`);
    },
    unmount: () => {
      const unmount = spawnSync('umount', [path], { encoding: 'utf8' });
      if (unmount.status !== 0) throw new Error(`umount: ${unmount.stderr}`);
    },
  };
}

function fill(ballast: string, leftBytes: number): number {
  const descriptor = openSync(ballast, 'a');
  let takenBytes = 0;
  try {
    for (const chunkBytes of [1024 * 1024, 4096, 1]) {
      const chunk = Buffer.alloc(chunkBytes, 'x');
      takenBytes += writeUntilFull(descriptor, chunk);
    }
    ftruncateSync(descriptor, fstatSync(descriptor).size - leftBytes);
  } finally {
    closeSync(descriptor);
  }
  return takenBytes - leftBytes;
}

function writeUntilFull(descriptor: number, chunk: Buffer): number {
  let takenBytes = 0;
  for (;;) {
    try {
      takenBytes += writeSync(descriptor, chunk);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return takenBytes;
      throw error;
    }
  }
}
