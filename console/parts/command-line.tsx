/**
 * The command line that does the same as an action, ready to paste into a POSIX shell. Commands and flags are those of the
 * program, or it doesn't compile (`console/api/command-types.ts`).
 */
import type { Commands } from '../api/command-types.ts';
import { CopyButton } from './copy-button.tsx';

/** A text that is empty on purpose, as that of a field that was emptied. */
export const EMPTIED = Symbol('an empty text');

/** For one that is still empty stands `…`; one that is undefined is left out, with its flag. */
type Word = string | number | typeof EMPTIED | undefined;
/** A flag with several values comes once for each. */
type FlagsOf<C extends keyof Commands> = {
  readonly [F in Commands[C][number]]?: F extends Commands[C][1]
    ? boolean | undefined
    : Word | readonly string[];
};

const PLAIN = /^[\w@%+=:,./-]+$/;

export function CommandLine({ text }: { readonly text: string }) {
  return (
    <div class="command">
      <code>{text}</code>
      <CopyButton text={text} what="command line" />
    </div>
  );
}

export function purser<C extends keyof Commands>(
  command: C,
  words: readonly Word[] = [],
  flags: FlagsOf<C> = {},
): string {
  const named = Object.entries<boolean | Word | readonly string[]>(flags).flatMap(([name, given]) =>
    ([given].flat() as (boolean | Word)[]).flatMap((value) => {
      if (value === undefined || value === false) return [];
      return value === true ? [`--${name}`] : [`--${name}`, shown(value)];
    }),
  );
  const given = words.filter((word) => word !== undefined);
  return ['purser', command, ...given.map(shown), ...named].join(' ');
}

function shown(word: Exclude<Word, undefined>): string {
  if (word === EMPTIED) return "''";
  return word === '' || Number.isNaN(word) ? '…' : quoted(String(word));
}

function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
