/**
 * Every setting of the server, read once at start into one frozen object.
 *
 * A flag wins over the environment, the environment over the file, the file over the default. Secrets that open the
 * node (the owner's token, the master key) come from the environment only: a flag would show it to everyone who may
 * list processes. An empty variable counts as not set, as container tools pass those for what nobody filled in.
 *
 * A wrong value is refused. No setting falls back to a weaker source or the default, so a typing mistake can't open a
 * port to the world or turn a protection off.
 */

import { ConfigError, quote } from './config-error.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import { hostsOnly } from './hosts-only.ts';
import type { OptionSpec } from './option-spec.ts';
import { OPTIONS, type Settings } from './options.ts';
import { unknownVariables } from './unknown-variables.ts';

export type SettingSource = 'flag' | 'environment' | 'file' | 'default';

export interface WrittenSetting {
  readonly source: SettingSource;
  /** Undefined when it has no value, or is secret. */
  readonly text: string | undefined;
}

export interface Config extends Settings {
  /** From PURSER_OPERATOR_TOKEN; undefined when the data folder's own is to be used. */
  readonly operatorToken: string | undefined;
  /** From PURSER_MASTER_KEY, 32 bytes in base64; undefined when the data folder's own is to be used. */
  readonly masterKey: string | undefined;
  /** Where each setting is from, and how it was written. */
  readonly written: Readonly<Record<keyof Settings, WrittenSetting>>;
  /** Oddities of the environment that are no reason not to start; for the log. */
  readonly warning: string | undefined;
}

/** The flags of the command line, under camel-case names as commander delivers them. Absent means not given. */
export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
export type Environment = Readonly<Record<string, string | undefined>>;

/** A value as written, and where it was found. `text` is undefined when its JSON type can't be right. */
interface Written {
  readonly kind: Exclude<SettingSource, 'default'>;
  /** For messages. */
  readonly source: string;
  readonly raw: unknown;
  readonly text: string | undefined;
}

/**
 * `readFile` is called with the path of `--config` or PURSER_CONFIG, if there is one. Throws `ConfigError`
 * at the first value that is not accepted.
 */
export function loadConfig(flags: Flags, env: Environment, readFile: (path: string) => string): Config {
  const file = readConfigFile(flags.config, env.PURSER_CONFIG, readFile);
  refuseUnknownKeys(file);
  const found = Object.entries(OPTIONS).map(([field, spec]) => {
    const written = writtenOf(spec, flags, env, file);
    return { field, origin: originOf(spec, written), value: settingOf<unknown>(spec, written) };
  });
  const settings = Object.fromEntries(found.map(({ field, value }) => [field, value])) as unknown as Settings;
  refuseSharedAddress(settings);
  return Object.freeze({
    ...settings,
    operatorToken: secretOf(env, 'PURSER_OPERATOR_TOKEN', isBearerToken, 'visible ASCII without spaces'),
    masterKey: secretOf(env, 'PURSER_MASTER_KEY', isMasterKey, '32 bytes in base64'),
    written: Object.freeze(
      Object.fromEntries(found.map(({ field, origin }) => [field, origin])),
    ) as Config['written'],
    warning: unknownVariables(env),
  });
}

function writtenOf(
  spec: OptionSpec<unknown>,
  flags: Flags,
  env: Environment,
  file: ConfigFile,
): Written | undefined {
  const inFile = fromFile(spec, file);
  return fromFlag(spec, flags) ?? fromEnvironment(spec, env) ?? inFile;
}

function originOf({ kind, fallback }: OptionSpec<unknown>, written: Written | undefined): WrittenSetting {
  const { kind: source, text } = written ?? { kind: 'default', text: fallback };
  return Object.freeze({ source, text: kind.isSecret === true ? undefined : text });
}

function settingOf<T>(spec: OptionSpec<T>, written: Written | undefined): T | undefined {
  if (written === undefined) return spec.fallback === undefined ? undefined : spec.kind.parse(spec.fallback);
  const value = written.text === undefined ? undefined : spec.kind.parse(written.text);
  if (value === undefined) {
    const shown = spec.kind.isSecret === true ? 'the value (not shown)' : hostsOnly(quote(written.raw));
    throw new ConfigError(
      `option ${spec.name} (${written.source}): ${shown} is not accepted; expected ${spec.kind.expected}`,
    );
  }
  return value;
}

function fromFlag(spec: OptionSpec<unknown>, flags: Flags): Written | undefined {
  const raw = flags[spec.camelName];
  return raw === undefined
    ? undefined
    : { kind: 'flag', source: `flag --${spec.name}`, raw, text: String(raw) };
}

function fromEnvironment(spec: OptionSpec<unknown>, env: Environment): Written | undefined {
  const raw = env[spec.env];
  if (raw === undefined || raw === '') return undefined;
  return { kind: 'environment', source: `environment ${spec.env}`, raw, text: raw };
}

/** Two spellings of one option are refused, because either could be meant. */
function fromFile(spec: OptionSpec<unknown>, { path, content }: ConfigFile): Written | undefined {
  const [key, second] = Object.keys(content).filter((each) => each === spec.name || each === spec.camelName);
  if (key === undefined) return undefined;
  if (second !== undefined) {
    throw new ConfigError(
      `option ${spec.name} (file ${path}): set twice, as ${key} and as ${second}; expected once`,
    );
  }
  const raw = content[key];
  return { kind: 'file', source: `file ${path}, key ${key}`, raw, text: textOf(raw, spec) };
}

/** So that a misspelt option is noticed. */
function refuseUnknownKeys({ path, content }: ConfigFile): void {
  const known = new Set(Object.values(OPTIONS).flatMap(({ name, camelName }) => [name, camelName]));
  const unknown = Object.keys(content).find((key) => !known.has(key));
  if (unknown === undefined) return;
  throw new ConfigError(`file ${path}: ${quote(unknown)} is not an option; expected the name of a flag`);
}

function textOf(value: unknown, spec: OptionSpec<unknown>): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === spec.kind.json) return String(value);
  if (spec.kind.json === 'list' && Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.length === 0 ? 'none' : value.join(',');
  }
  return undefined;
}

/** Without this check the system's error for the second listener would not name the options. */
function refuseSharedAddress({ host, port, operatorHost, operatorPort }: Settings): void {
  if (port === 0 || port !== operatorPort) return;
  const everywhere = ['0.0.0.0', '::'];
  if (host !== operatorHost && !everywhere.includes(host) && !everywhere.includes(operatorHost)) return;
  throw new ConfigError(
    `options port and operator-port: both are ${port} on ${host}; expected two different ports`,
  );
}

function secretOf(
  env: Environment,
  name: string,
  isValid: (text: string) => boolean,
  expected: string,
): string | undefined {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  if (!isValid(text)) {
    throw new ConfigError(
      `environment ${name}: the value (${text.length} characters, not shown) is not accepted; expected ${expected}`,
    );
  }
  return text;
}

function isBearerToken(text: string): boolean {
  return /^[\x21-\x7e]{1,512}$/.test(text);
}

function isMasterKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(text);
}
