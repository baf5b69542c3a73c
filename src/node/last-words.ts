/**
 * The reason why a process ended, in words: each error of the chain of causes says what it knows, and what to do when a
 * disk or a limit has failed. Words of an earlier one aren't repeated.
 */

import { diskTrouble } from '../persistence/disk/disk-trouble.ts';
import { withCauses } from '../shared/error-code.ts';

/** One line, without a full stop. */
export function lastWords(error: unknown): string {
  const said: string[] = [];
  for (const each of withCauses(error)) {
    const words = wordsOf(each);
    if (!said.some((earlier) => earlier.includes(words))) said.push(words);
  }
  return said.join(': ');
}

function wordsOf(error: unknown): string {
  const words = diskTrouble(error).split('\n', 1)[0] ?? '';
  // Whoever wrote the message of such an error had the program in mind.
  if (error instanceof TypeError || error instanceof RangeError) return `${error.name}: ${words}`;
  return error instanceof Error && words === '' ? error.name : words;
}
