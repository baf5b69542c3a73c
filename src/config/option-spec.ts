/** One setting: its names in each source, and what it takes. */
import type { OptionKind } from './option-kind.ts';

export interface OptionSpec<T> {
  /** `operator-port`: the flag without its dashes, and a key the file may use. */
  readonly name: string;
  /** `operatorPort`: the other key the file may use, and the key of `Flags`. */
  readonly camelName: string;
  /** `PURSER_OPERATOR_PORT`. */
  readonly env: string;
  readonly kind: OptionKind<T>;
  /** Written as an operator would write it; undefined when the option has no value by default. */
  readonly fallback: string | undefined;
  readonly description: string;
}

/** `name`, such as `operator-port`, gives the others. */
export function option<T>(
  name: string,
  kind: OptionKind<T>,
  fallback: string | undefined,
  description: string,
): OptionSpec<T> {
  const camelName = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const env = `PURSER_${name.toUpperCase().replaceAll('-', '_')}`;
  return { name, camelName, env, kind, fallback, description };
}
