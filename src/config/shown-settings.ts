/**
 * The settings as they are in force, each with its value, as one would write it, and where it is from: all of them for
 * the owner, those that were given for the log.
 *
 * Invariant: no secret is in it. Tokens and keys are no settings, or are secret; of a URL only its scheme and host are
 * shown, because services give out addresses whose path lets anybody post.
 */
import type { Config, SettingSource } from './config.ts';
import { hostsOnly } from './hosts-only.ts';
import type { OptionSpec } from './option-spec.ts';
import { OPTIONS, type Settings } from './options.ts';

export interface ShownSetting {
  /** The flag without its dashes. */
  readonly name: string;
  readonly env: string;
  /** Null: it has none. */
  readonly value: string | null;
  readonly source: SettingSource;
}

export function shownSettings(config: Config): ShownSetting[] {
  return Object.entries(OPTIONS)
    .filter(([, { kind }]) => kind.isSecret !== true)
    .map(([field, spec]) => shown(config, field as keyof Settings, spec));
}

/** Settings that were given, and the data folder, by the names of flags. */
export function givenSettings(config: Config): Record<string, string | null> {
  const given = shownSettings(config).filter(({ name, source }) => source !== 'default' || name === 'data');
  return Object.fromEntries(given.map(({ name, value }) => [name, value]));
}

/** A path is shown whole; durations and lists as they were written. */
function shown(
  config: Config,
  field: keyof Settings,
  { name, env, kind }: OptionSpec<unknown>,
): ShownSetting {
  const { text, source } = config.written[field];
  const value: unknown = config[field];
  const isPlain = typeof value === 'string' || (typeof value === 'number' && kind.json === 'number');
  const inForce = isPlain ? String(value) : text;
  return { name, env, value: inForce === undefined ? null : hostsOnly(inForce), source };
}
