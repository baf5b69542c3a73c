/**
 * All settings as they are in force, for the owner: each with its value, as one would write it, and where it is from.
 *
 * Invariant: as in `configured.ts`, no secret is in it, and of a URL its scheme and host alone.
 */
import type { Config, SettingSource } from './config.ts';
import { hostsOnly } from './hosts-only.ts';
import { OPTIONS, type OptionSpec, type Settings } from './options.ts';

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
