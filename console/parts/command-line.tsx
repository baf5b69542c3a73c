/** The command line that does the same as an action, ready to paste into a POSIX shell. */
import { CopyButton } from './copy-button.tsx';

/** Words after `purser`; those that are undefined are left out, and for those that are still empty stands `…`. */
export type CommandWords = readonly (string | number | undefined)[];

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
  const isEmpty = (word: string | number) => word === '' || Number.isNaN(word);
  return ['purser', ...present.map((word) => (isEmpty(word) ? '…' : quoted(String(word))))].join(' ');
}

/** `...flag('--reason', reason)`: nothing when there is no value. */
export function flag(name: string, value: string | number | undefined): CommandWords {
  return value === undefined || value === '' ? [] : [name, value];
}

function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
