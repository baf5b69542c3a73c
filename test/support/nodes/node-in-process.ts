/** A node in this process, on ports that the system chose unless `flags` say others: how every test starts one. */
import assert from 'node:assert/strict';
import { pino } from 'pino';
import { type Flags, loadConfig } from '../../../src/config/config.ts';
import type { NodeOptions } from '../../../src/node/data-folder.ts';
import { PurserNode } from '../../../src/node/node.ts';

export interface InProcessOptions
  extends Pick<NodeOptions, 'alertLookMs' | 'compaction' | 'foldIntervalMs' | 'segmentBytes'> {
  readonly env?: Readonly<Record<string, string>>;
  /** Gets each line of its log; without it the node says nothing. */
  readonly onLine?: (line: string) => void;
}

/**
 * Starts a node in this process. `flags` by their names in camel case; `data` is one. A fatal error of the node fails
 * the test.
 */
export function startInProcess(
  flags: Flags,
  { env = {}, onLine, ...tuning }: InProcessOptions = {},
): Promise<PurserNode> {
  const config = loadConfig({ port: '0', operatorPort: '0', ...flags }, env, () => '');
  const log =
    onLine === undefined ? pino({ level: 'silent' }) : pino({ level: config.logLevel }, { write: onLine });
  return PurserNode.start({ config, log, onFatal: (error) => assert.fail(error as Error), ...tuning });
}
