/**
 * A progress bar for an upload, on standard error, only when that is a terminal.
 *
 * The bar polls how much the source has read, so it can't slow the upload down. Buffered data makes it a few hundred
 * kilobytes early.
 */

import type { Terminal } from '../terminal/terminal.ts';
import type { ItemSource } from './item-source.ts';

const REDRAW_MS = 100;
const BAR_FORMAT = '{bar} {percentage}% | {sent} of {size} | {speed} | eta {eta_formatted}';
const COUNTER_FORMAT = '{sent} | {speed}';
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Shows progress until `work` has ended, then returns what it returned. */
export async function withUploadProgress<T>(
  terminal: Terminal,
  { sizeBytes, readBytes }: ItemSource,
  work: () => Promise<T>,
): Promise<T> {
  if (terminal.stderr.isTTY !== true) return work();
  const { default: progress } = await import('cli-progress');
  const bar = new progress.SingleBar({
    stream: terminal.stderr,
    format: sizeBytes === undefined ? COUNTER_FORMAT : BAR_FORMAT,
    barsize: 24,
    linewrap: true,
    etaBuffer: 50,
  });
  const startMs = performance.now();
  const draw = () => {
    const sentBytes = readBytes();
    const elapsedSeconds = Math.max(performance.now() - startMs, 1) / 1_000;
    bar.update(sentBytes, { sent: sizeText(sentBytes), speed: `${sizeText(sentBytes / elapsedSeconds)}/s` });
  };
  const size = sizeText(sizeBytes ?? 0);
  bar.start(sizeBytes ?? 0, 0, { sent: sizeText(0), speed: `${sizeText(0)}/s`, size });
  const timer = setInterval(draw, REDRAW_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    draw();
    bar.stop();
  }
}

/** Decimal units, as disks and networks are measured. */
export function sizeText(sizeBytes: number): string {
  let value = sizeBytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}
