/**
 * The node's program with a clock that can be moved: the times of its main thread begin at the first that it is given,
 * and SIGUSR2 goes on to the next. Between that the clock runs as always. Only the main thread writes times into facts.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadConfig } from '../../../src/config/config.ts';
import { serve } from '../../../src/main.ts';
import type { StartPurserOptions } from '../../support/nodes/purser-process.ts';

const program = fileURLToPath(import.meta.url);

/** To start such a node with. `times`: in Unix milliseconds, ascending. */
export function movedNode(times: readonly number[]): Required<Pick<StartPurserOptions, 'entry' | 'env'>> {
  return { entry: program, env: { PURSER_TEST_TIMES: times.join(','), UV_THREADPOOL_SIZE: '16' } };
}

if (process.argv[1] === program) {
  const { PURSER_TEST_TIMES: given = '', ...env } = process.env;
  moveClock(given.split(',').map(Number));
  const { values } = parseArgs({
    allowPositionals: true,
    options: { data: { type: 'string' }, port: { type: 'string' }, 'operator-port': { type: 'string' } },
  });
  const { data, port, 'operator-port': operatorPort } = values;
  const flags = Object.fromEntries(
    Object.entries({ data, port, operatorPort }).filter(([, value]) => value !== undefined),
  );
  await serve(
    loadConfig(flags, env, (path) => readFileSync(path, 'utf8')),
    { foldIntervalMs: 500 },
  );
}

function moveClock(times: readonly number[]): void {
  const realNow = Date.now;
  let place = 0;
  let sinceMs = realNow();
  Date.now = () => (times[place] ?? 0) + realNow() - sinceMs;
  process.on('SIGUSR2', () => {
    place = Math.min(place + 1, times.length - 1);
    sinceMs = realNow();
  });
}
