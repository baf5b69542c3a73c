/** Asks at a terminal. The terminal itself edits the line: what is typed at it is given to nobody else before Enter. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { print, type Terminal } from './terminal.ts';

/** Whether somebody can be asked: a script is not, nor is a command that has read its standard input to the end. */
export function isAtTerminal({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && !stdin.readableEnded;
}

/** Without white space around it; undefined when the input ended before a line did. */
export async function answerTo(terminal: Terminal, question: string): Promise<string | undefined> {
  return (await lineTo(terminal, question))?.trim();
}

/** The same, as it was typed. */
export async function lineTo({ stdin, stderr }: Terminal, question: string): Promise<string | undefined> {
  print(stderr, question);
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
    return line === undefined ? undefined : String(line);
  } finally {
    lines.close();
  }
}
