/** The command line that does the same as an action, ready to paste into a POSIX shell. */
import { CopyButton } from './copy-button.tsx';

/** A text that is empty on purpose, as that of a field that was emptied. */
export const EMPTIED = Symbol('an empty text');

/** Words after `purser`; those that are undefined are left out, and for those that are still empty stands `…`. */
export type CommandWords = readonly (string | number | typeof EMPTIED | undefined)[];

const PLAIN = /^[\w@%+=:,./-]+$/;

export function CommandLine({ words }: { readonly words: CommandWords }) {
  const text = commandText(words);
  return (
    <div class="command">
      <code>{text}</code>
      <CopyButton text={text} what="command line" />
    </div>
  );
}

export function commandText(words: CommandWords): string {
  const present = words.filter((word) => word !== undefined);
  return ['purser', ...present.map(shown)].join(' ');
}

function shown(word: string | number | typeof EMPTIED): string {
  if (word === EMPTIED) return "''";
  return word === '' || Number.isNaN(word) ? '…' : quoted(String(word));
}

/** `...flag('--reason', reason)`: nothing when there is no value. */
export function flag(name: string, value: string | number | undefined): CommandWords {
  return value === undefined || value === '' ? [] : [name, value];
}

function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
