/**
 * Whether what was synced is there after a power cut, as far as a program can know: by the kind of file system and how
 * it is mounted. A disk whose own cache lies is found by cutting its power, and by nothing else.
 */
import { readFileSync, realpathSync, statfsSync } from 'node:fs';
import type { CheckedMachine } from '../checked-machine.ts';
import { type Finding, failed, ok, together, warning } from '../finding.ts';

interface Kind {
  readonly name: string;
  readonly judge: (advice: string) => Finding;
  readonly advice: string;
}

const IN_MEMORY = 'is in memory, and all of it is gone with the power: choose a folder on a disk with --data';
const REMOTE =
  'is on another machine, where a database can neither lock nor sync as it must: choose a disk of this one with --data';

/** By the number that `statfs` gives. */
const KINDS: Readonly<Record<number, Kind>> = {
  16914836: { name: 'tmpfs', judge: failed, advice: IN_MEMORY },
  2240043254: { name: 'ramfs', judge: failed, advice: IN_MEMORY },
  26985: { name: 'NFS', judge: failed, advice: REMOTE },
  4283649346: { name: 'SMB', judge: failed, advice: REMOTE },
  4266872130: { name: 'SMB', judge: failed, advice: REMOTE },
  16914839: {
    name: '9P',
    judge: warning,
    advice: 'passes another system’s files on, and nobody here knows whether it syncs: choose a disk',
  },
  1702057286: {
    name: 'FUSE',
    judge: warning,
    advice: 'is a program’s, and nobody here knows whether it syncs: choose a disk',
  },
  2035054128: {
    name: 'overlay',
    judge: warning,
    advice: 'is a container’s own layer, which goes with the container: put the data folder on a volume',
  },
};

/** Options by which a file system leaves out what makes a disk empty its cache. */
const WITHOUT_BARRIERS = /(?:^|,)(nobarrier|barrier=0|nobh)(?:,|$)/;

export function diskHonesty({ nearestFolder, env }: CheckedMachine): Finding {
  return together([
    judgeKind(statfsSync(nearestFolder).type),
    judgeMount(mountOf(realpathSync(nearestFolder), mountTable())),
    judgePreload(env.LD_PRELOAD),
  ]);
}

export function judgeKind(type: number): Finding {
  const kind = KINDS[type];
  if (kind === undefined)
    return ok('a local file system; that its disk keeps what it confirmed is proved by a power cut alone');
  return kind.judge(`the file system (${kind.name}) ${kind.advice}`);
}

export interface Mount {
  readonly at: string;
  /** Options of the mount and of the file system, with commas. */
  readonly options: string;
}

/** Undefined where nothing is known of how file systems are mounted. */
export function judgeMount(mount: Mount | undefined): Finding {
  const [, option] = WITHOUT_BARRIERS.exec(mount?.options ?? '') ?? [];
  if (option === undefined) return ok('');
  return failed(
    `${mount?.at} is mounted with ${option}, so a power cut loses what was synced: mount it without that`,
  );
}

export function judgePreload(preload: string | undefined): Finding {
  if (preload?.includes('eatmydata') !== true) return ok('');
  return failed('LD_PRELOAD has eatmydata, which leaves out every sync: unset it');
}

/** The mount that a path lies on, of `/proc/self/mountinfo`. */
export function mountOf(path: string, table: string): Mount | undefined {
  let found: Mount | undefined;
  for (const line of table.split('\n')) {
    const [mount = '', system = ''] = line.split(' - ');
    const [, , , , at, options] = mount.split(' ');
    if (at === undefined) continue;
    const isAbove = path === at || path.startsWith(at.endsWith('/') ? at : `${at}/`);
    // Of two on one place the later one is seen.
    if (isAbove && at.length >= (found?.at.length ?? 0))
      found = { at, options: [options, system.split(' ')[2]].join(',') };
  }
  return found;
}

function mountTable(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}
