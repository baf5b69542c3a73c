/** Targets as operators write them, and the words that they are told about them. */

/** A target as a field of a request's body. */
export const TARGET = {
  type: 'string',
  minLength: 1,
  maxLength: 1_000,
  description:
    "The whole path of a folder of the node's machine, or the URL of a bucket: `s3://bucket/prefix`.",
} as const;

/** Whether a target depends on the node's working folder, of which operators know nothing. */
export function isRelative(target: string): boolean {
  return !/^(\/|[a-z][a-z\d+.-]*:)/i.test(target);
}

/** An error's one line as an answer's message. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
