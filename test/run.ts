/**
 * Runs tests, after `test/runner/compile.mjs` has compiled them (`sh test/run.sh` does both):
 *
 *     node dist/test/run.js                 the first tier: what `npm test` runs
 *     node dist/test/run.js --suite NAME    one suite of test/runner/suites.ts
 *     node dist/test/run.js --all           the first tier, then each suite
 *     node dist/test/run.js --changed BASE  the first tier, then the suites that the change since BASE owes
 *     node dist/test/run.js PART …          the files whose name has a PART in it, with all that they say
 *
 * `--test-name-pattern PATTERN` is node's own. Jobs start in the order of the times that the last run measured. The
 * output of a job is printed when it has ended, and only if it failed; the last lines name the jobs that did, and count
 * tests. A job that takes longer than its patience is ended with all it has started: a test that hangs must not take
 * the names of the others with it. Each line tells how long a job took, and how long processors worked for it.
 *
 * Rejected: node's own runner (`node --test`), which starts files in the order of their names, and each in a process.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Job, type Outcome, runJob } from './runner/job.ts';
import { MeasuredTimes } from './runner/measured-times.ts';
import { firstTier, jobsNamed, jobsOf, oneByOne, suitesOwedSince, titleOf } from './runner/plan.ts';
import { inSources, writerInSources } from './runner/source-places.ts';
import { isSuite, SUITES, suiteNames } from './runner/suites.ts';

/** Jobs wait for their servers and disks at times. */
const SLOTS = availableParallelism() + 2;
/** Several times what the longest job takes on a loaded machine. */
const PATIENCE_MS = { firstTier: 600_000, suite: 3_600_000 } as const;
const KINDS = ['tests', 'pass', 'fail', 'cancelled', 'skipped'] as const;

interface Tier {
  readonly name: string;
  readonly jobs: readonly Job[];
  readonly atOnce: number;
  readonly patienceMs: number;
}

const { values, positionals } = parseArgs({
  options: {
    suite: { type: 'string', multiple: true },
    all: { type: 'boolean', default: false },
    changed: { type: 'string' },
    'test-name-pattern': { type: 'string', multiple: true },
  },
  allowPositionals: true,
});
const patterns = (values['test-name-pattern'] ?? []).map((pattern) => `--test-name-pattern=${pattern}`);
const times = new MeasuredTimes(join(import.meta.dirname, '..', 'test-times.json'));
const totals = new Map<string, number>(KINDS.map((kind) => [kind, 0]));
const failed: string[] = [];
const durations: string[] = [];

process.exitCode = await main();

async function main(): Promise<number> {
  const fromMs = performance.now();
  for (const tier of tiers()) {
    if (tier.jobs.length === 0) throw new Error(`no test file matches ${positionals.join(' ') || tier.name}`);
    await runTier(tier);
  }
  for (const name of failed) console.log(`failed: ${name}`);
  if (durations.length > 1) for (const line of durations) console.log(line);
  // The closing lines of node's own runner, for those who count them.
  for (const kind of KINDS) console.log(`# ${kind} ${totals.get(kind)}`);
  console.log(`# duration_ms ${Math.round(performance.now() - fromMs)}`);
  return failed.length === 0 ? 0 : 1;
}

function tiers(): Tier[] {
  if (positionals.length > 0) {
    const jobs = jobsNamed(positionals);
    return [{ name: 'files', jobs, atOnce: SLOTS, patienceMs: PATIENCE_MS.suite }];
  }
  if (values.suite !== undefined) return values.suite.map(suiteNamed);
  const first = { name: 'first tier', jobs: firstTier(), atOnce: SLOTS, patienceMs: PATIENCE_MS.firstTier };
  if (values.all) return [first, ...suiteNames().map(suiteNamed)];
  if (values.changed !== undefined) return [first, ...suitesOwedSince(values.changed).map(suiteNamed)];
  return [first];
}

function suiteNamed(name: string): Tier {
  if (!isSuite(name)) throw new Error(`no suite is called ${name}: there are ${suiteNames().join(', ')}`);
  return {
    name: `test:${name}`,
    jobs: jobsOf(name),
    atOnce: SUITES[name].isOneAtATime === true ? 1 : SLOTS,
    patienceMs: PATIENCE_MS.suite,
  };
}

async function runTier({ name, jobs, atOnce, patienceMs }: Tier): Promise<void> {
  const fromMs = performance.now();
  let workedMs = 0;
  const rest = times.longestFirst(jobs).values();
  const slots = Array.from({ length: Math.min(atOnce, jobs.length) }, async () => {
    for (const job of rest) workedMs += await runAndTell(job, patienceMs, jobs.length === 1);
  });
  await Promise.all(slots);
  if (patterns.length === 0) times.keep();
  durations.push(`${name}: ${seconds(performance.now() - fromMs)} s, ${seconds(workedMs)} processor-seconds`);
}

/** How long processors worked for it. */
async function runAndTell(job: Job, patienceMs: number, isOnly: boolean): Promise<number> {
  const isTold = positionals.length > 0;
  const isLive = isTold && isOnly;
  const live = isLive ? writerInSources((text) => process.stdout.write(text)) : undefined;
  const outcome = await runJob({ ...job, args: [...patterns, ...job.args] }, patienceMs, live);
  live?.(undefined);
  const counts = KINDS.map((kind) =>
    Number(new RegExp(`^ℹ ${kind} (\\d+)$`, 'm').exec(outcome.output)?.[1] ?? 0),
  );
  for (const [index, kind] of KINDS.entries())
    totals.set(kind, (totals.get(kind) ?? 0) + (counts[index] ?? 0));
  times.note(job.name, outcome.tookMs);
  const took = `${seconds(outcome.tookMs).padStart(6)} s, ${seconds(outcome.workedMs).padStart(5)} worked`;
  console.log(`${outcome.hasPassed ? 'ok' : 'FAILED'} ${took}  ${titleOf(job)}`);
  if (!isLive && isTold) console.log(inSources(outcome.output));
  else if (!outcome.hasPassed)
    console.log(`${inSources(failuresIn(outcome.output))}\nended with ${outcome.end}`);
  if (outcome.hasPassed) return outcome.workedMs;
  failed.push(titleOf(job));
  return outcome.workedMs + (await againOneByOne(job, outcome, counts, patienceMs));
}

/** A process that ends without the name of a test that failed is run again file by file, to learn whose fault it was. */
async function againOneByOne(
  job: Job,
  outcome: Outcome,
  [, , fail = 0, cancelled = 0]: readonly number[],
  patienceMs: number,
): Promise<number> {
  if (fail + cancelled > 0 || job.files.length < 2) return 0;
  console.log(`ended with ${outcome.end}, and no test failed: its files run again, one by one`);
  let workedMs = 0;
  for (const each of oneByOne(job)) workedMs += await runAndTell(each, patienceMs, false);
  return workedMs;
}

/** The words of node's runner on the tests that failed, or the whole output if it came to no end. */
function failuresIn(output: string): string {
  const at = output.indexOf('✖ failing tests:');
  return at < 0 ? output : output.slice(at);
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
