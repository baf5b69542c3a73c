/** A progress bar of something counted, on standard error, only when that is a terminal. */
import type { Terminal } from './terminal.ts';

const COUNT_FORMAT = '{bar} {percentage}% | {value} of {total} | eta {eta_formatted}';

/** `fields` are what `format` names besides. Undefined when nobody would see it. */
export async function startProgress(
  terminal: Terminal,
  total: number,
  format = COUNT_FORMAT,
  fields: Readonly<Record<string, string>> = {},
) {
  if (terminal.stderr.isTTY !== true) return undefined;
  const { default: progress } = await import('cli-progress');
  const bar = new progress.SingleBar({ stream: terminal.stderr, format, barsize: 24 });
  bar.start(total, 0, fields);
  return bar;
}
