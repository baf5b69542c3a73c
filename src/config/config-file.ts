/** The configuration file: one JSON object whose keys are the flags' names, in kebab or camel case. */
import { withoutMark } from '../shared/text-reader.ts';
import { ConfigError, quote } from './config-error.ts';

/** Characters before the wrong one in the text that the parser quotes. */
const QUOTED_BEFORE = 10;

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
  const at = `option config (${source}): ${quote(path)}`;
  let text: string;
  try {
    text = withoutMark(readFile(path));
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new ConfigError(`${at} cannot be read (${reason}); expected a file with one JSON object`, {
      cause: error,
    });
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(
      `${at} is not JSON${placeOf(error as Error, text)}; expected a file with one JSON object`,
    );
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    const kind = Array.isArray(content) ? 'an array' : content === null ? 'null' : `a ${typeof content}`;
    throw new ConfigError(`${at} holds ${kind}; expected one JSON object`);
  }
  return content as ConfigFile['content'];
}

/** Where it ends to be JSON. The parser's own message quotes what stands there, which may be a part of a secret. */
function placeOf({ message }: Error, text: string): string {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  const [, quoted = ''] = /"([\s\S]*)"(?:\.\.\.)? is not valid JSON$/.exec(message) ?? [];
  const begin = quoted === '' ? -1 : text.indexOf(quoted);
  const end = position === undefined ? begin + Math.min(QUOTED_BEFORE, quoted.length) : Number(position);
  if (position === undefined && (begin < 0 || /end of JSON/.test(message))) return '';
  return ` from line ${text.slice(0, end).split('\n').length} on`;
}
