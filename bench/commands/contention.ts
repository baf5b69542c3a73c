import { printHistory } from '../history/print.ts';
import { type Conditions, conditionLines, readConditions } from '../measure/conditions.ts';
import { type ContentionReport, Laboratory } from '../measure/laboratory.ts';
import type { BenchEnvironment } from '../measure/running-systems.ts';
import { makeReportFolder, writeReport } from '../report/report-file.ts';
import { printRows } from '../report/table.ts';
import { SAMPLED_ORDERS } from '../shop/stage.ts';
import type { ContentionOptions } from './contention-options.ts';
import { printFlood } from './flood.ts';

const IN_MEMORY =
  'warning     the data lie in memory, where a sync is free: the figures say nothing of a disk. Give --dir a folder on one';

/** Resolves true when the check found nothing wrong. */
export async function runContention(
  options: ContentionOptions,
  environment: BenchEnvironment,
): Promise<boolean> {
  if (options.report !== undefined) await makeReportFolder(options.report);
  const conditions = readConditions(environment.folder);
  environment.print(printConditions(conditions, options));
  const laboratory = await Laboratory.open(options, environment);
  try {
    const report = await laboratory.run(conditions);
    environment.print(printReport(report));
    if (options.report !== undefined)
      environment.print(`written: ${await writeReport(options.report, report)}`);
    return report.systems.every(({ audit }) => audit.passed);
  } finally {
    await laboratory.close();
  }
}

/** Where a sync is free. */
function isInMemory(filesystem: string): boolean {
  return filesystem === 'tmpfs' || filesystem === 'ramfs';
}

function printConditions(conditions: Conditions, options: ContentionOptions): string {
  const { timing } = options;
  return [
    ...conditionLines(conditions, options.transport),
    ...(isInMemory(conditions.filesystem) ? [IN_MEMORY] : []),
    `durability  fsync on: every answer leaves after its group is on disk; what differs is said at each system`,
    `windows     ${timing.warmupMs} ms warm-up, ${timing.measureMs} ms measured, ${options.rounds} rounds; medians over rounds`,
    `load        ${options.loadProcesses} client process(es) on the same machine, seed ${options.seed}`,
    'excluded    TLS, the network, warm-up, process start, stocking up, the check afterwards',
  ].join('\n');
}

function printReport(report: ContentionReport): string {
  const blocks: string[] = [];
  if (report.rows.length > 0) blocks.push(printRows(report.rows));
  if (report.flood !== undefined) blocks.push(printFlood(report.flood));
  if (report.history !== undefined) blocks.push(printHistory(report.history));
  const { seed, sampledOrders = SAMPLED_ORDERS } = report.options;
  for (const { name, version, processes, configuration, durable } of report.systems) {
    const lines = Object.entries(configuration).map(([key, value]) => `  ${key}: ${value}`);
    blocks.push(
      [`${name}: ${version}, ${processes} HTTP process(es)${durable ? '' : ', not durable'}`, ...lines].join(
        '\n',
      ),
    );
  }
  const checked = report.systems.filter(({ audit }) => audit.answers > 0);
  blocks.push(
    checked
      .map(({ name, audit: { passed, violations, answers, found } }) =>
        passed
          ? `check of ${name}: every one of ${answers.toLocaleString('en')} answers read; items, orders and wallets add up; up to ${sampledOrders.toLocaleString('en')} orders fetched again (seed ${seed})`
          : [`check of ${name}: ${violations} violations`, ...found].join('\n'),
      )
      .join('\n'),
  );
  return blocks.join('\n\n');
}
