/**
 * A Debian of its own below a folder: made by debootstrap once, kept below the folder for temporary files, and copied for
 * each test. Programs run in it by `chroot`, or under a systemd of its own; sockets and kernel are those of the machine.
 *
 * Who uses it must be root in a mount namespace of its own (`unshare --mount`): so no mount outlives the test.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
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
import { eventually } from '../../support/eventually.ts';

const SUITE = 'bookworm';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

/** What a systemd needs that is to think itself alone. Its groups of processes are below one that the test removes. */
const BOOT = `set -e
root=$1
mount --rbind "$root" "$root"
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
cd "$root"
pivot_root . .
umount --lazy .
exec /usr/bin/env -i container=scratch PATH=${PATH} /sbin/init
`;

export class ScratchDebian {
  readonly root: string;
  #boot: ChildProcess | undefined;
  #init: string | undefined;

  private constructor(root: string) {
    this.root = root;
  }

  /** In `folder`, with these packages beside the smallest set. */
  static make(folder: string, packages: readonly string[] = []): ScratchDebian {
    const kept = join(tmpdir(), ['purser', SUITE, ...packages].join('-'));
    if (!existsSync(kept)) {
      const unfinished = `${kept}.new`;
      rmSync(unfinished, { recursive: true, force: true });
      // Refused when somebody else was quicker.
      mkdirSync(unfinished, { mode: 0o755 });
      const include = packages.length === 0 ? [] : [`--include=${packages.join(',')}`];
      execFileSync('debootstrap', ['--variant=minbase', ...include, SUITE, unfinished], {
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

  /** A few devices and `/proc`, for programs that run without a systemd. */
  mount(): void {
    this.#mountDevices();
    execFileSync('mount', ['-t', 'proc', 'proc', this.path('proc')]);
  }

  #mountDevices(): void {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', this.path('dev')]);
    symlinkSync('pts/ptmx', this.path('dev', 'ptmx'));
    for (const name of DEVICES) {
      writeFileSync(this.path('dev', name), '');
      execFileSync('mount', ['--bind', join('/dev', name), this.path('dev', name)]);
    }
  }

  /** Starts its systemd, and waits until that has started what it starts by itself. */
  async boot(): Promise<void> {
    this.#mountDevices();
    const group = this.#group();
    mkdirSync(this.#groups(), { recursive: true });
    execFileSync('mount', ['-t', 'cgroup2', 'cgroup2', this.#groups()]);
    mkdirSync(group);
    const enter = 'echo $$ > "$1/cgroup.procs" && shift && exec "$@"';
    const alone = ['unshare', '--mount', '--pid', '--fork', '--kill-child', '--cgroup', '--uts'];
    const args = ['-c', enter, 'sh', group, ...alone, 'sh', '-c', BOOT, 'sh', this.root];
    const boot = spawn('sh', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    process.once('exit', () => boot.kill('SIGKILL'));
    this.#boot = boot;
    await eventually('its systemd runs', () => {
      const children = readFileSync(`/proc/${boot.pid}/task/${boot.pid}/children`, 'utf8').trim();
      if (children === '' || !/^systemd\n/.test(readFileSync(`/proc/${children}/comm`, 'utf8'))) return false;
      this.#init = children;
      // Some of Debian's own units may fail here; none of them matters.
      return /^(?:running|degraded)$/m.test(this.run(['systemctl', 'is-system-running']).stdout);
    });
  }

  /** Ends its systemd with all that runs under it, as a power cut does, and takes every mount away. */
  async close(): Promise<void> {
    const boot = this.#boot;
    if (boot !== undefined) {
      const ended = new Promise((resolve) => boot.once('exit', resolve));
      boot.kill('SIGKILL');
      await ended;
      this.#init = undefined;
    }
    const group = this.#group();
    await eventually('its groups of processes are gone', () => {
      spawnSync('find', [group, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', ';']);
      return !existsSync(group);
    });
    const mounted = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '');
    for (const place of mounted.reverse())
      if (place.startsWith(this.root)) execFileSync('umount', ['--lazy', place]);
  }

  #groups(): string {
    return `${this.root}.groups`;
  }

  #group(): string {
    return join(this.#groups(), `purser-test-${process.pid}`);
  }

  /** Runs a program of it as root. */
  run(args: readonly string[], env: Readonly<Record<string, string>> = {}): SpawnSyncReturns<string> {
    const variables = Object.entries({ PATH, LC_ALL: 'C', ...env }).map(
      ([name, value]) => `${name}=${value}`,
    );
    const command = ['/usr/bin/env', '-i', ...variables, ...args];
    const enter =
      this.#init === undefined
        ? ['chroot', this.root]
        : ['nsenter', '--target', this.#init, '--mount', '--pid', '--cgroup', '--uts', '--root', '--wd'];
    const [program = '', ...rest] = [...enter, ...command];
    return spawnSync(program, rest, { encoding: 'utf8' });
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
