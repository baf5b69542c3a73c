/** The clock: facts, signatures and certificates go by it. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CheckedMachine } from '../checked-machine.ts';
import { type Finding, failed, ok, together, warning } from '../finding.ts';

const ANSWER_MS = 3_000;
/** No shop is older. */
const EARLIEST_MS = Date.UTC(2025, 0, 1);
/** A file may be a moment ahead where time was set while it was written. */
const AHEAD_MS = 60_000;
const SYNCHRONIZED_MARK = '/run/systemd/timesync/synchronized';
const RUN_A_SERVICE = 'run chrony or systemd-timesyncd, in a container on its host';

export async function clock({ config, isThere }: CheckedMachine): Promise<Finding> {
  const newestMs = isThere ? newestIn(config.dataDir) : 0;
  return together([judgeMoment(Date.now(), newestMs), judgeSynchronized(await isSynchronized())]);
}

/** `newestMs`: when the data folder was last written to. All in Unix milliseconds. */
export function judgeMoment(nowMs: number, newestMs: number): Finding {
  const now = new Date(nowMs).toISOString();
  if (nowMs < EARLIEST_MS) return failed(`the clock says ${now}: set it`);
  if (newestMs > nowMs + AHEAD_MS)
    return failed(
      `the clock says ${now}, and the data folder was written to at ${new Date(newestMs).toISOString()}: set the clock before you start the node`,
    );
  return ok(`the clock says ${now}`);
}

/** Undefined when nobody here knows. */
export function judgeSynchronized(answer: boolean | undefined): Finding {
  if (answer === true) return ok('it is synchronized');
  if (answer === false) return warning(`the clock is not synchronized: ${RUN_A_SERVICE}`);
  return warning(`nobody here knows whether the clock is synchronized: ${RUN_A_SERVICE}`);
}

async function isSynchronized(): Promise<boolean | undefined> {
  if (existsSync(SYNCHRONIZED_MARK)) return true;
  const timedatectl = await output('timedatectl', ['show', '--property=NTPSynchronized', '--value']);
  if (timedatectl === 'yes') return true;
  const chronyc = await output('chronyc', ['-n', '-c', 'tracking']);
  if (chronyc !== undefined && chronyc !== '') return !chronyc.endsWith('Not synchronised');
  return timedatectl === 'no' ? false : undefined;
}

/** Undefined when there is no such program, or it fails. */
async function output(program: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return (await promisify(execFile)(program, [...args], { timeout: ANSWER_MS })).stdout.trim();
  } catch {
    return undefined;
  }
}

/**
 * The time of the youngest of the folder's own files, in Unix milliseconds. Files that can't be looked at are left out.
 */
function newestIn(folder: string): number {
  let newestMs = 0;
  try {
    for (const name of readdirSync(folder)) {
      const status = statSync(join(folder, name), { throwIfNoEntry: false });
      newestMs = Math.max(newestMs, status?.mtimeMs ?? 0);
    }
  } catch {
    // `permissions` says so.
  }
  return newestMs;
}
