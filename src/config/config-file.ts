/** The configuration file: one JSON object whose keys are the flags' names, in kebab or camel case. */
import { ConfigError, quote } from './config-error.ts';

export interface ConfigFile {
  readonly path: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** Empty when no file is named. Throws `ConfigError` when the file can't be read, or isn't a JSON object. */
export function readConfigFile(
  flag: unknown,
  env: string | undefined,
  readFile: (path: string) => string,
): ConfigFile {
  if (flag === '')
    throw new ConfigError('option config (flag --config): "" is not accepted; expected a path');
  const path = typeof flag === 'string' ? flag : (env ?? '');
  if (path === '') return { path, content: {} };
  const source = typeof flag === 'string' ? 'flag --config' : 'environment PURSER_CONFIG';
  return { path, content: parseObject(path, source, readFile) };
}

function parseObject(
  path: string,
  source: string,
  readFile: (path: string) => string,
): ConfigFile['content'] {
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
  return content as ConfigFile['content'];
}
