/**
 * How long the disk takes to say that something is on it: every group of purchases waits for that.
 *
 * The probe is a small file without a name, so that nothing is left behind whatever happens, and it rests between its
 * writes, so that a running node's commits come in between.
 */
import { randomUUID } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { folderTrouble } from '../../persistence/disk/disk-trouble.ts';
import type { CheckedMachine } from '../checked-machine.ts';
import { type Finding, failed, ok, warning } from '../finding.ts';

const PROBES = 25;
const REST_MS = 4;
const PAGE = Buffer.alloc(4_096);
/** A purchase takes at least as long: above this, buyers notice. */
const SLOW_MS = 20;
const HOPELESS_MS = 500;
/** No medium is as fast; a cache with a battery takes ten times as long. */
const IMPLAUSIBLE_MS = 0.005;

export async function diskSync({ nearestFolder }: CheckedMachine): Promise<Finding> {
  let times: readonly number[];
  try {
    times = await measure(nearestFolder);
  } catch (error) {
    return failed(`${nearestFolder} cannot be written to: ${folderTrouble(error)}`);
  }
  return judgeSync(times);
}

/** In milliseconds, ascending. */
async function measure(folder: string): Promise<number[]> {
  // The name that a node's own probes have: a folder with one that was left behind is still taken for a data folder.
  const path = join(folder, `room-probe.${randomUUID()}`);
  const file = await open(path, 'wx', 0o600);
  try {
    await unlink(path);
    const times: number[] = [];
    for (let probe = 0; probe < PROBES; probe += 1) {
      const beganMs = performance.now();
      await file.write(PAGE, 0, PAGE.length, probe * PAGE.length);
      await file.datasync();
      times.push(performance.now() - beganMs);
      await delay(REST_MS);
    }
    return times.sort((a, b) => a - b);
  } finally {
    await file.close();
  }
}

/** `times` in milliseconds, ascending. */
export function judgeSync(times: readonly number[]): Finding {
  const middle = times[Math.floor(times.length / 2)] ?? 0;
  const longest = times.at(-1) ?? 0;
  const found = `a sync takes ${milliseconds(middle)}, at most ${milliseconds(longest)} of ${times.length}`;
  if (middle >= HOPELESS_MS) return failed(`${found}: put the data folder on an SSD of this machine`);
  if (middle >= SLOW_MS)
    return warning(`${found}, and every purchase waits for one: put the data folder on a faster disk`);
  if (middle <= IMPLAUSIBLE_MS)
    return warning(
      `${found}, which no disk can: something says that it wrote before it did; look for LD_PRELOAD (eatmydata) and for a virtual disk with an unsafe cache`,
    );
  return ok(found);
}

function milliseconds(ms: number): string {
  return `${ms < 0.1 ? ms.toFixed(3) : ms.toFixed(1)} ms`;
}
