/**
 * The question before a command that moves money. Whoever is no terminal is never asked, so scripts run through; nor is
 * who says `--yes`. Anything but a yes changes nothing.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { CommandFailure } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** Throws `CommandFailure` unless the answer is yes. */
export async function confirm(
  { stdin, stderr }: Terminal,
  question: string,
  { yes }: { readonly yes?: boolean },
): Promise<void> {
  if (yes === true || stdin.isTTY !== true || stderr.isTTY !== true) return;
  stderr.write(`${question} [y/N] `);
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    const [answer] = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
    if (!/^y(es)?$/i.test(String(answer ?? '').trim())) throw new CommandFailure('nothing was changed');
  } finally {
    lines.close();
  }
}
