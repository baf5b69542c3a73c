/**
 * A node's configuration, for its log: the settings that differ from their defaults, and the data folder.
 *
 * Invariant: no secret is in it. Tokens and keys are no settings, or are secret; of a URL only its scheme and host are
 * shown, because services give out addresses whose path lets anybody post.
 */
import { hostsOnly } from './hosts-only.ts';
import { OPTIONS, type Settings } from './options.ts';

const ALWAYS_SHOWN: ReadonlySet<string> = new Set(['dataDir']);

/** By the names of `Settings`, whose last words are units. */
export function configured(settings: Settings): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [field, { kind, fallback }] of Object.entries(OPTIONS)) {
    if (kind.isSecret === true) continue;
    const value: unknown = settings[field as keyof Settings];
    const initial = fallback === undefined ? undefined : kind.parse(fallback);
    if (ALWAYS_SHOWN.has(field) || !isSame(value, initial)) shown[field] = withoutSecrets(value);
  }
  return shown;
}

function isSame(value: unknown, other: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(other);
}

function withoutSecrets(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === 'string' ? hostsOnly(part) : part,
  );
}
