/**
 * HTML in which everything that is put in is escaped, unless it is markup itself.
 *
 * Invariant: a text never becomes an element or ends an attribute, wherever it comes from, as long as attributes are
 * written in double quotes. Rejected: a template library, for one function that every page needs.
 */
export class Markup {
  readonly text: string;

  /** `text` is put into the page as it is. */
  constructor(text: string) {
    this.text = text;
  }
}

/** `undefined` is nothing. */
export type Insert = Markup | string | number | undefined | readonly Insert[];

export function html(parts: TemplateStringsArray, ...inserts: readonly Insert[]): Markup {
  const texts = parts.map((part, index) => (index === 0 ? part : `${textOf(inserts[index - 1])}${part}`));
  return new Markup(texts.join(''));
}

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function textOf(insert: Insert): string {
  if (insert === undefined) return '';
  if (insert instanceof Markup) return insert.text;
  if (typeof insert === 'object') return insert.map(textOf).join('');
  return escaped(String(insert));
}
