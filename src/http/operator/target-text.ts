/** What operators write of a target, and are told of it. */

/** Of the node's working folder operators know nothing. */
export function isRelative(target: string): boolean {
  return !/^(\/|[a-z][a-z\d+.-]*:)/i.test(target);
}

/** An error's one line as an answer's message. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
