/**
 * `purser migrate`: what a start does with a data folder of an older version, by itself: so that an operator can see
 * before what it takes, and do it without a start.
 */
import type { Command } from 'commander';
import type { MigrationPlan } from '../persistence/migration/migration-plan.ts';
import { dataFolder } from './operator-target.ts';
import { printLines, type Terminal } from './terminal.ts';
import { sizeText } from './upload-progress.ts';

interface MigrateFlags {
  readonly data?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function addMigrateCommand(program: Command, terminal: Terminal): void {
  program
    .command('migrate')
    .description('bring the data folder of a stopped node to the version that this Purser reads')
    .option('--data <DIR>', 'data folder (env: PURSER_DATA, default: ./data)')
    .option('--dry-run', 'say what would be done, and which room it takes; changes nothing')
    .option('--json', 'print the result as one JSON object')
    .action(async (flags: MigrateFlags) => {
      const folder = dataFolder(flags.data, terminal.env);
      const say = (line: string) => {
        if (flags.json !== true) printLines(terminal.stdout, [line]);
      };
      const { planMigration, requireMigratable } = await import('../persistence/migration/migration-plan.ts');
      const plan = planMigration(folder);
      const isNeeded = plan.isInterrupted || plan.steps.length > 0;
      for (const line of planLines(plan)) say(line);
      if (flags.dryRun === true) requireMigratable(plan);
      if (isNeeded && flags.dryRun !== true) await migrate(folder, terminal.env.PURSER_MASTER_KEY, say);
      if (flags.json !== true) return;
      const { keptIn, steps, ...fields } = plan;
      const done = flags.dryRun === true ? {} : { migrated: isNeeded };
      const answer = {
        ...fields,
        steps: steps.map(({ from, to, does }) => ({ from, to, does })),
        ...(steps.length > 0 ? { keptIn } : {}),
        ...done,
      };
      printLines(terminal.stdout, [JSON.stringify(answer)]);
    });
}

async function migrate(
  folder: string,
  masterKey: string | undefined,
  say: (line: string) => void,
): Promise<void> {
  const { lockFolder } = await import('../persistence/folder/folder-lock.ts');
  const { migrateFolder } = await import('../persistence/migration/migrate-folder.ts');
  const lock = await lockFolder(folder);
  try {
    await migrateFolder({ folder, masterKey: masterKey || undefined, say });
  } finally {
    await lock.release();
  }
}

function planLines({
  folder,
  version,
  reads,
  steps,
  isInterrupted,
  roomBytes,
  freeBytes,
  keptIn,
}: MigrationPlan): string[] {
  if (isInterrupted)
    return [`${folder}: an upgrade was interrupted when it was proved; it only has to be completed`];
  if (steps.length === 0) return [`${folder} has version ${version}: there is nothing to do`];
  return [
    `${folder} has version ${version}, and this version of Purser reads ${reads}`,
    ...steps.map(({ from, to, does }) => `from version ${from} to ${to}: ${does}`),
    `room: about ${sizeText(roomBytes)} are needed, ${sizeText(freeBytes)} are free`,
    `the folder as it is now will be kept in ${keptIn}`,
  ];
}
