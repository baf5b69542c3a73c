/**
 * The question before a command that moves money. Whoever is no terminal is never asked, so scripts run through; nor is
 * who says `--yes`. Anything but a yes changes nothing.
 */
import { CommandFailure } from './failure.ts';
import { answerTo, isAtTerminal } from './question.ts';
import type { Terminal } from './terminal.ts';

/** Throws `CommandFailure` unless the answer is yes. */
export async function confirm(
  terminal: Terminal,
  question: string,
  { yes }: { readonly yes?: boolean },
): Promise<void> {
  if (yes === true || !isAtTerminal(terminal)) return;
  const answer = await answerTo(terminal, `${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer ?? '')) throw new CommandFailure('nothing was changed');
}
