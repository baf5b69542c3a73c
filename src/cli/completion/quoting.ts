/** A text quoted for every shell that there is a script for: nothing in it means anything to the shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** fish has an escape for the quote instead. */
export function quotedForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** One line, and short enough to stand beside a word. */
export function summary(description: string): string {
  const [first = ''] = description.split('\n', 1);
  return first.length <= 80 ? first : `${first.slice(0, 79)}…`;
}
