/**
 * The configuration file: one JSON object whose keys are the flags' names, in kebab or camel case.
 *
 * An unknown key is refused, so that a misspelt option is noticed; so are two spellings of one option, because either could
 * be meant.
 */
import { ConfigError, quote } from './config-error.ts';
import { OPTIONS } from './options.ts';

export interface FileValues {
  readonly path: string;
  /** By the option's kebab-case name; `key` is the spelling that the file used. */
  readonly values: ReadonlyMap<string, { readonly key: string; readonly value: unknown }>;
}

/** Throws `ConfigError` when the file can't be read, isn't a JSON object or holds a key that is no option. */
export function readConfigFile(
  flag: string | boolean | undefined,
  env: string | undefined,
  readFile: (path: string) => string,
): FileValues {
  const path = typeof flag === 'string' ? flag : (env ?? '');
  if (path === '') {
    if (flag === '')
      throw new ConfigError('option config (flag --config): "" is not accepted; expected a path');
    return { path, values: new Map() };
  }
  const source = typeof flag === 'string' ? 'flag --config' : 'environment PURSER_CONFIG';
  const content = parseObject(path, source, readFile);
  const names = namesByKey();
  const values = new Map<string, { key: string; value: unknown }>();
  for (const [key, value] of Object.entries(content)) {
    const name = names.get(key);
    if (name === undefined) {
      throw new ConfigError(`file ${path}: ${quote(key)} is not an option; expected the name of a flag`);
    }
    const earlier = values.get(name);
    if (earlier !== undefined) {
      throw new ConfigError(
        `option ${name} (file ${path}): written twice, as ${earlier.key} and ${key}; expected once`,
      );
    }
    values.set(name, { key, value });
  }
  return { path, values };
}

function parseObject(path: string, source: string, readFile: (path: string) => string): object {
  let content: unknown;
  try {
    content = JSON.parse(readFile(path));
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new ConfigError(
      `option config (${source}): ${quote(path)} is not readable as JSON (${reason}); expected a file with one JSON object`,
      { cause: error },
    );
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new ConfigError(
      `option config (${source}): ${quote(path)} holds ${quote(content)}; expected one JSON object`,
    );
  }
  return content;
}

function namesByKey(): ReadonlyMap<string, string> {
  return new Map(
    Object.values(OPTIONS).flatMap(({ name, camelName }): [string, string][] => [
      [name, name],
      [camelName, name],
    ]),
  );
}
