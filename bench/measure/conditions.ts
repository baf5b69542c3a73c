/** Where and how the figures were made: printed before them, and kept with them. */
import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { dirname, join } from 'node:path';
import { median } from './statistics.ts';

export interface Conditions {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly kernel: string;
  readonly filesystem: string;
  /** Median of writing 4 KiB and waiting for the disk, in the folder of the data. */
  readonly syncMicros: number;
  /** The load average of the minute before the run: above a few tenths, something else is using the machine. */
  readonly loadAverage: number;
  readonly node: string;
  /** The commit of the checkout that was built, with a `+` when files in it were changed; `unknown` outside of git. */
  readonly commit: string;
  readonly libraries: Readonly<Record<string, string>>;
}

export function readConditions(folder: string): Conditions {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 1024 ** 3),
    kernel: `${type()} ${release()}`,
    filesystem: filesystemOf(folder),
    syncMicros: measureSync(folder),
    loadAverage: loadavg()[0] ?? 0,
    node: process.version,
    commit: commitOf(import.meta.dirname),
    libraries: { 'uWebSockets.js': versionOf('uWebSockets.js'), lmdb: versionOf('lmdb') },
  };
}

export function conditionLines(conditions: Conditions, transport: string): string[] {
  return [
    `processor   ${conditions.processor}, ${conditions.cores} cores; ${conditions.memoryGib} GiB memory`,
    `system      ${conditions.kernel}; data on ${conditions.filesystem}`,
    `disk        4 KiB written and synced in ${conditions.syncMicros} µs (median of 100)`,
    `before      load average ${conditions.loadAverage.toFixed(2)}`,
    `software    commit ${conditions.commit}, node ${conditions.node}, ${Object.values(conditions.libraries).join(', ')}; transport ${transport}`,
  ];
}

function commitOf(folder: string): string {
  try {
    const described = execFileSync('git', ['describe', '--always', '--dirty=+', '--exclude=*'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return described.trim();
  } catch {
    return 'unknown';
  }
}

/** The type of the filesystem a folder is on, from the longest mount point above it. */
function filesystemOf(folder: string): string {
  let found = { mountPoint: '', filesystem: 'unknown' };
  for (const line of readMounts()) {
    const [, mountPoint, filesystem] = line.split(' ');
    if (mountPoint === undefined || filesystem === undefined) continue;
    const holds = folder === mountPoint || folder.startsWith(mountPoint === '/' ? '/' : `${mountPoint}/`);
    if (holds && mountPoint.length >= found.mountPoint.length) found = { mountPoint, filesystem };
  }
  return found.filesystem;
}

function readMounts(): string[] {
  try {
    return readFileSync('/proc/self/mounts', 'utf8').split('\n');
  } catch {
    return [];
  }
}

function measureSync(folder: string): number {
  const file = join(folder, 'sync-probe');
  const handle = openSync(file, 'w');
  const block = Buffer.alloc(4096, 1);
  try {
    const timesMicros = Array.from({ length: 100 }, () => {
      const fromMs = performance.now();
      writeSync(handle, block);
      fdatasyncSync(handle);
      return (performance.now() - fromMs) * 1000;
    });
    return Math.round(median(timesMicros));
  } finally {
    closeSync(handle);
    rmSync(file);
  }
}

/** From the package's own package.json, which need not be exported: looked for above its entry file. */
function versionOf(packageName: string): string {
  let folder: string;
  try {
    folder = dirname(createRequire(import.meta.url).resolve(packageName));
  } catch {
    folder = join(import.meta.dirname, 'node_modules', packageName);
  }
  for (; dirname(folder) !== folder; folder = dirname(folder)) {
    for (const file of [
      join(folder, 'package.json'),
      join(folder, 'node_modules', packageName, 'package.json'),
    ]) {
      const manifest = readManifest(file);
      const isPackage = file.includes(join('node_modules', packageName));
      if (isPackage && manifest?.version !== undefined) return `${manifest.name} ${manifest.version}`;
    }
  }
  return 'unknown';
}

function readManifest(file: string): { name?: string; version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string };
  } catch {
    return undefined;
  }
}
