/** The options of a cluster's node, which go together. */
import { ConfigError } from './config-error.ts';
import type { Settings } from './options.ts';

type ClusterOptions = Pick<Settings, 'log' | 'node' | 'url' | 'logPasswordFile' | 'demo'>;

/** A node of a cluster needs all three; without a cluster they mean nothing. Throws `ConfigError`. */
export function refuseHalfCluster({ log, node, url, logPasswordFile, demo }: ClusterOptions): void {
  const missing = Object.entries({ log, node, url }).flatMap(([name, value]) =>
    value === undefined ? name : [],
  );
  if (missing.length === 0 && demo) {
    throw new ConfigError('options demo and log: a demo has its log alone; expected one of them');
  }
  if (missing.length === 0 || (missing.length === 3 && logPasswordFile === undefined)) return;
  const trouble =
    missing.length === 3 ? 'log-password-file is given without them' : `${missing.join(' and ')} is missing`;
  throw new ConfigError(`options log, node and url: ${trouble}; expected all three or none`);
}
