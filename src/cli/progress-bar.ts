/** A progress bar of something counted, on standard error, only when that is a terminal. */
import type { Terminal } from './terminal.ts';

const BAR_FORMAT = '{bar} {percentage}% | {value} of {total} | eta {eta_formatted}';

export async function startProgress(terminal: Terminal, total: number) {
  if (terminal.stderr.isTTY !== true) return undefined;
  const { default: progress } = await import('cli-progress');
  const bar = new progress.SingleBar({ stream: terminal.stderr, format: BAR_FORMAT, barsize: 24 });
  bar.start(total, 0);
  return bar;
}
