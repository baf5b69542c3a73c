/**
 * Makes chosen writes of a process fail, by a library that is loaded before the C library (`failing-writes.c`).
 *
 * A small disk fails only for want of room, and as it likes; this fails the one write that is meant, with the error
 * that is meant, once or for good. Needs Linux and a C compiler.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../../support/repository-root.ts';

export const EIO = 5;
export const ENOSPC = 28;

export interface WriteFailure {
  /** A part of the file's path. */
  readonly pathPart: string;
  readonly errno: number;
  /** How many calls pass before the first that fails. */
  readonly pass?: number;
  /** How many fail then; without it, all. */
  readonly times?: number;
}

/** Why there can't be any here, in words, or undefined when there can. */
export function whyNoFailingWrites(): string | undefined {
  if (process.platform !== 'linux') return 'making writes fail needs Linux';
  return spawnSync('cc', ['--version']).status === 0 ? undefined : 'making writes fail needs a C compiler';
}

export class FailingWrites {
  /** For the process whose writes may fail. */
  readonly env: Readonly<Record<string, string>>;
  readonly #orders: string;

  private constructor(library: string, orders: string) {
    this.#orders = orders;
    this.env = { LD_PRELOAD: library, FAILING_WRITES: orders };
    this.end();
  }

  /** Compiles the library into `folder`. */
  static make(folder: string): FailingWrites {
    const source = join(repositoryRoot(), 'test', 'suites', 'crash', 'disk', 'failing-writes.c');
    const library = join(folder, 'failing-writes.so');
    const { status, stderr } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`cc: ${stderr}`);
    return new FailingWrites(library, join(folder, 'failing-writes'));
  }

  begin({ pathPart, errno, pass = 0, times = -1 }: WriteFailure): void {
    writeFileSync(this.#orders, `${pathPart} ${errno} ${pass} ${times} 0\n`);
  }

  /** Calls that have failed since `begin`. */
  get failed(): number {
    return Number(readFileSync(this.#orders, 'utf8').split(/\s+/)[4] ?? 0);
  }

  end(): void {
    writeFileSync(this.#orders, '');
  }
}
