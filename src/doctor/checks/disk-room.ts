/** Room on the disk of the data folder, by the setting that alerts go by. */
import { statfsSync } from 'node:fs';
import { type Finding, failed, ok, warning } from '../finding.ts';
import type { Patient } from '../patient.ts';

/** The room that a node needs to take purchases. */
const LEAST_BYTES = 2 * 1024 * 1024;
const MIB = 1024 * 1024;

export function diskRoom({ nearestFolder, config }: Patient): Finding {
  const { bavail, bsize, blocks } = statfsSync(nearestFolder);
  return judgeRoom(bavail * bsize, blocks * bsize, config.diskLowPercent);
}

export function judgeRoom(freeBytes: number, totalBytes: number, lowPercent: number): Finding {
  const percent = totalBytes === 0 ? 0 : (freeBytes / totalBytes) * 100;
  const found = `${Math.floor(freeBytes / MIB)} MiB of the disk are free (${percent.toFixed(1)} %)`;
  if (freeBytes < LEAST_BYTES) return failed(`${found}: purchases are refused until you make room`);
  if (percent < lowPercent)
    return warning(`${found}, less than --disk-low: make room, or move to a larger disk`);
  return ok(found);
}
