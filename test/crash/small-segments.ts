/** The node's program but for one thing: a segment of its journal ends after a few dozen purchases. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadConfig } from '../../src/config/config.ts';
import { serve } from '../../src/main.ts';

const SEGMENT_BYTES = 8 * 1024;

/** What to start in place of `purser`; it knows the flags that tests give. */
export const smallSegmentsEntry = fileURLToPath(import.meta.url);

if (process.argv[1] === smallSegmentsEntry) {
  const { values } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      port: { type: 'string' },
      'operator-port': { type: 'string' },
    },
  });
  const { data, port, 'operator-port': operatorPort } = values;
  const flags = Object.fromEntries(
    Object.entries({ data, port, operatorPort }).filter(([, value]) => value !== undefined),
  );
  const config = loadConfig(flags, process.env, (path) => readFileSync(path, 'utf8'));
  await serve(config, { segmentBytes: SEGMENT_BYTES });
}
