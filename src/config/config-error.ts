const LONGEST_QUOTE = 80;

/**
 * An error in the configuration. The message is one line for the operator: which option, where from, which value, what
 * is accepted.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** A value as JSON on one line, cut when it is long, without what stands before an `@` in a URL: it may be a password. */
export function quote(value: unknown): string {
  const text = (JSON.stringify(value) ?? String(value)).replace(/:\/\/[^/@]*@/g, '://…@');
  return text.length <= LONGEST_QUOTE ? text : `${text.slice(0, LONGEST_QUOTE)}…`;
}
