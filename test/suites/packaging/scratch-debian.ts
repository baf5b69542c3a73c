/**
 * A Debian of its own below a folder: made by debootstrap once, kept below the folder for temporary files, and copied for
 * each test. Programs run in it by `chroot`; sockets and kernel are those of the machine.
 *
 * A process that uses it must be root in a mount namespace of its own (`unshare --mount`): so no mount outlives the
 * test.
 */
import assert from 'node:assert/strict';
import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SUITE = 'bookworm';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

export class ScratchDebian {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** In `folder`, with the smallest set of packages. */
  static make(folder: string): ScratchDebian {
    const kept = join(tmpdir(), `purser-${SUITE}`);
    if (!existsSync(kept)) {
      const unfinished = `${kept}.new`;
      rmSync(unfinished, { recursive: true, force: true });
      // Refused when somebody else was quicker.
      mkdirSync(unfinished, { mode: 0o755 });
      execFileSync('debootstrap', ['--variant=minbase', SUITE, unfinished], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      renameSync(unfinished, kept);
    }
    refuseForeign(kept);
    execFileSync('cp', ['--archive', kept, folder]);
    return new ScratchDebian(folder);
  }

  path(...names: string[]): string {
    return join(this.root, ...names);
  }

  /** A few devices and `/proc`. */
  mount(): void {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', this.path('dev')]);
    symlinkSync('pts/ptmx', this.path('dev', 'ptmx'));
    for (const name of DEVICES) {
      writeFileSync(this.path('dev', name), '');
      execFileSync('mount', ['--bind', join('/dev', name), this.path('dev', name)]);
    }
    execFileSync('mount', ['-t', 'proc', 'proc', this.path('proc')]);
  }

  /** Takes every mount away. */
  close(): void {
    const mounted = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '');
    for (const place of mounted.reverse())
      if (place.startsWith(this.root)) execFileSync('umount', ['--lazy', place]);
  }

  /** Runs a program of it as root. */
  run(args: readonly string[], env: Readonly<Record<string, string>> = {}): SpawnSyncReturns<string> {
    const variables = Object.entries({ PATH, LC_ALL: 'C', ...env }).map(
      ([name, value]) => `${name}=${value}`,
    );
    return spawnSync('chroot', [this.root, '/usr/bin/env', '-i', ...variables, ...args], {
      encoding: 'utf8',
    });
  }

  /** As `run`, and it must succeed. Returns all that it said. */
  done(args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
    const { status, stdout, stderr } = this.run(args, env);
    assert.equal(status, 0, `${args.join(' ')}\n${stdout}${stderr}`);
    return `${stdout}${stderr}`;
  }

  /** A file that starts a program of it as one of its users, as the same process. */
  starter(program: string, user: string): string {
    const file = `${this.root}.${user}`;
    const home = this.done(['sh', '-c', `echo ~${user}`]).trim();
    const variables = `HOME=${home} PATH=${PATH} PURSER_OPERATOR_TOKEN="$PURSER_OPERATOR_TOKEN"`;
    const enter = `chroot --userspec=${user}:${user} ${this.root} ${program}`;
    writeFileSync(file, `#!/bin/sh\nexec env -i ${variables} ${enter} "$@"\n`);
    chmodSync(file, 0o755);
    return file;
  }
}

/** Root runs what is in it, and anybody may make folders beside it. */
function refuseForeign(folder: string): void {
  const found = lstatSync(folder);
  const isOfRoot = found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0;
  assert.ok(isOfRoot, `${folder} is no folder of root that only root writes to: remove it`);
}
