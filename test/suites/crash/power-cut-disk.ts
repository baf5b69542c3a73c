/**
 * A disk whose power can be cut: an ext4 file system of its own on a loop device over an image file.
 *
 * What a program has written and not synced is in the kernel's memory and not in the image; what it has synced
 * is. So a copy of the image is what a disk would hold after a cut at that moment, and mounting the copy is the
 * next boot. Needs Linux and root. Rejected: copying the data folder's files, which reads the unsynced pages too
 * and would pass without any sync at all; and intercepting system calls, which proves less and needs a compiler.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The kernel writes dirty pages back by itself after 30 s, ext4 its metadata after this; a test is quicker. */
const OPTIONS = 'loop,commit=300';

/** Why there can't be one here, in words, or undefined when there can. */
export function whyNoPowerCut(): string | undefined {
  if (process.platform !== 'linux') return 'a disk on a loop device needs Linux';
  if (process.getuid?.() !== 0) return 'a disk on a loop device needs root';
  const folder = mkdtempSync(join(tmpdir(), 'purser-power-probe-'));
  try {
    PowerCutDisk.make(folder, 8).remove();
    return undefined;
  } catch {
    return 'this machine does not allow loop devices';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export class PowerCutDisk {
  readonly path: string;
  readonly #parent: string;
  readonly #generation: number;

  private constructor(parent: string, generation: number) {
    this.#parent = parent;
    this.#generation = generation;
    this.path = join(parent, `disk-${generation}`);
    mkdirSync(this.path);
    run('mount', '-t', 'ext4', '-o', OPTIONS, this.#image(generation), this.path);
  }

  static make(parent: string, sizeMegabytes: number): PowerCutDisk {
    const image = join(parent, 'image-0');
    run('truncate', '-s', `${sizeMegabytes}M`, image);
    run('mkfs.ext4', '-q', '-F', image);
    return new PowerCutDisk(parent, 0);
  }

  /**
   * Cuts the power now, and boots: what it returns is the disk afterwards. Whoever writes to this one must be
   * stopped, or the copy would take more than a moment; `end` then ends it, so that this disk can go.
   */
  async cut(end: () => Promise<void>): Promise<PowerCutDisk> {
    const next = this.#generation + 1;
    run('cp', '--sparse=always', this.#image(this.#generation), this.#image(next));
    await end();
    this.remove();
    return new PowerCutDisk(this.#parent, next);
  }

  remove(): void {
    run('umount', this.path);
    rmSync(this.#image(this.#generation));
  }

  #image(generation: number): string {
    return join(this.#parent, `image-${generation}`);
  }
}

function run(command: string, ...args: readonly string[]): void {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}
