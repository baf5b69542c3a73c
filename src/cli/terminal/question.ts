/** Asks at a terminal. The terminal itself edits the line: what is typed at it is given to nobody else before Enter. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { print, type Terminal } from './terminal.ts';

/** Lines that were typed, or pasted, beyond the one that was asked for. */
const typedAhead = new WeakMap<Terminal['stdin'], string[]>();

/** Whether somebody can be asked: a script is not, nor is a command that has read its standard input to the end. */
export function isAtTerminal({ stdin, stderr }: Terminal): boolean {
  const hasEnded = stdin.readableEnded && !typedAhead.get(stdin)?.length;
  return stdin.isTTY === true && stderr.isTTY === true && !hasEnded;
}

/** The answer without white space around it; undefined when the input ended before a line did. */
export async function answerTo(terminal: Terminal, question: string): Promise<string | undefined> {
  return (await lineTo(terminal, question))?.trim();
}

/** The answer as it was typed. */
export async function lineTo({ stdin, stderr }: Terminal, question: string): Promise<string | undefined> {
  print(stderr, question);
  const ahead = typedAhead.get(stdin) ?? [];
  typedAhead.set(stdin, ahead);
  if (ahead.length > 0) return ahead.shift();
  const lines = createInterface({ input: stdin, terminal: false });
  lines.on('line', (line) => ahead.push(line));
  try {
    await Promise.race([once(lines, 'line'), once(lines, 'close')]);
    return ahead.shift();
  } finally {
    lines.close();
  }
}
