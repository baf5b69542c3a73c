/** The options of a listener that speaks TLS, which go together. */
import { ConfigError } from './config-error.ts';
import type { Settings } from './options.ts';

/** Throws `ConfigError`. */
export function refuseHalfTls({ tlsCert, tlsKey }: Pick<Settings, 'tlsCert' | 'tlsKey'>): void {
  if ((tlsCert === undefined) === (tlsKey === undefined)) return;
  const missing = tlsCert === undefined ? 'tls-cert' : 'tls-key';
  throw new ConfigError(`options tls-cert and tls-key: ${missing} is missing; expected both or none`);
}
