/**
 * The node's program with what no operator can set: how large a segment of its journal gets, how often the journal is
 * folded into the checkpoint, and when rows are moved to run files.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadConfig } from '../../../../src/config/config.ts';
import { serve } from '../../../../src/main.ts';
import type { NodeOptions } from '../../../../src/node/data-folder.ts';
import type { StartPurserOptions } from '../../../support/nodes/purser-process.ts';
import { SMALL_RUNS } from '../../../support/small-runs.ts';

type Tuning = Pick<NodeOptions, 'segmentBytes' | 'foldIntervalMs' | 'compaction'>;

const program = fileURLToPath(import.meta.url);

/** To start such a node with; it knows the flags that tests give. */
export function tunedNode(tuning: Tuning): Required<Pick<StartPurserOptions, 'entry' | 'env'>> {
  return { entry: program, env: { PURSER_TEST_TUNING: JSON.stringify(tuning), UV_THREADPOOL_SIZE: '16' } };
}

/** After a few dozen purchases a segment of its journal ends, and old rows become run files, which are merged all the time. */
export const SMALL_FILES = tunedNode({
  segmentBytes: 8 * 1024,
  foldIntervalMs: 50,
  compaction: SMALL_RUNS,
});

if (process.argv[1] === program) {
  const { values } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      port: { type: 'string' },
      'operator-port': { type: 'string' },
      'webhook-allow': { type: 'string' },
    },
  });
  const { data, port, 'operator-port': operatorPort, 'webhook-allow': webhookAllow } = values;
  const flags = Object.fromEntries(
    Object.entries({ data, port, operatorPort, webhookAllow }).filter(([, value]) => value !== undefined),
  );
  const config = loadConfig(flags, process.env, (path) => readFileSync(path, 'utf8'));
  await serve(config, JSON.parse(process.env.PURSER_TEST_TUNING ?? '{}') as Tuning);
}
