/**
 * `purser restore SOURCE`: a data folder of a backup, made and proved here; no node is asked.
 *
 * What closes the gap of a restored shop are calls to its running node: the commands below `restore`. A source that has
 * one of their names is written as a path (`./status`).
 */
import { type Command, InvalidArgumentError } from 'commander';
import type { RestoreProgress } from '../restore/folder-making.ts';
import type { RestorePlan, RestorePoint } from '../restore/restore-plan.ts';
import type { GivenMasterKey } from '../restore/restored-keys.ts';
import { fieldLines, type JsonObject } from './answer-text.ts';
import { moment, wholeNumber } from './argument.ts';
import { CommandFailure } from './failure.ts';
import { readText } from './item-source.ts';
import { dataFolder } from './operator-target.ts';
import { startProgress } from './progress-bar.ts';
import { printLines, type Terminal } from './terminal.ts';
import { sizeText } from './upload-progress.ts';

/** A whole number below is a fact's. */
const FIRST_MOMENT = 1e12;
const BAR_FORMAT = '{step} {bar} {percentage}%';
const STEPS: Readonly<Record<RestoreProgress['step'], string>> = {
  fetch: 'fetching',
  fold: 'making the checkpoint',
  webhooks: 'making webhook events',
  verify: 'verifying',
};

interface RestoreFlags {
  readonly data?: string;
  readonly at?: RestorePoint;
  readonly epoch?: number;
  readonly dryRun?: boolean;
  readonly masterKeyFile?: string;
  readonly json?: boolean;
}

/** The command, to which those of a running node are added. */
export function addRestoreCommand(program: Command, terminal: Terminal): Command {
  return (
    program
      .command('restore')
      .description('make a data folder of a backup; changes nothing at the backup')
      // Those behind a command below it are that command's.
      .enablePositionalOptions()
      .argument('<SOURCE>', 'where the backup lies: a folder, or s3://bucket/prefix')
      .option('--data <DIR>', 'folder to make: not there yet, or empty (env: PURSER_DATA, default: ./data)')
      .option(
        '--at <TIME|SEQ>',
        'restore facts up to this one (a number below 10^12), or up to a moment: a date, RFC 3339, or Unix milliseconds',
        pointOf,
      )
      .option(
        '--epoch <N>',
        'epoch to begin (default: the next one that the backup does not have); for a second restore of one backup',
        wholeNumber(2),
      )
      .option('--dry-run', 'print what would be restored; make nothing')
      .option('--master-key-file <FILE>', 'file with the master key (default: PURSER_MASTER_KEY)')
      .option('--json', 'print the result as one JSON object')
      .action(async (source: string, flags: RestoreFlags) => {
        const folder = dataFolder(flags.data, terminal.env);
        const { openTarget } = await import('../backup/target/open-target.ts');
        const { BackupSource } = await import('../restore/backup-source.ts');
        const { planRestore } = await import('../restore/restore-plan.ts');
        const key = await masterKey(flags, terminal);
        const target = openTarget(source, terminal.env, { makesFolder: false });
        try {
          const plan = await planRestore(new BackupSource(target), key, flags.at, flags.epoch);
          const result =
            flags.dryRun === true
              ? { dataFolder: folder, dryRun: true, ...planFields(plan) }
              : { dataFolder: folder, ...(await restored(plan, folder, key, terminal)) };
          printLines(terminal.stdout, flags.json === true ? [JSON.stringify(result)] : fieldLines(result));
        } finally {
          await target.close();
        }
      })
  );
}

/** Throws for commander what is neither a fact's number nor a moment. */
export function pointOf(text: string): RestorePoint {
  if (/^\d{1,12}$/.test(text)) {
    if (Number(text) > 0) return { seq: Number(text) };
    throw new InvalidArgumentError('expected a fact’s number from 1, or a moment');
  }
  const atMs = moment(text);
  if (/^\d+$/.test(text) && atMs < FIRST_MOMENT)
    throw new InvalidArgumentError('expected a moment after 2001');
  return { atMs };
}

async function masterKey({ masterKeyFile }: RestoreFlags, terminal: Terminal): Promise<GivenMasterKey> {
  const { givenMasterKey } = await import('../restore/restored-keys.ts');
  if (masterKeyFile !== undefined) {
    return givenMasterKey(await readText(masterKeyFile, terminal.stdin), { file: masterKeyFile });
  }
  const fromEnvironment = terminal.env.PURSER_MASTER_KEY || undefined;
  if (fromEnvironment !== undefined) return givenMasterKey(fromEnvironment, 'PURSER_MASTER_KEY');
  throw new CommandFailure(
    "a backup opens with the shop's master key alone: give --master-key-file, or set PURSER_MASTER_KEY",
  );
}

async function restored(
  plan: RestorePlan,
  folder: string,
  key: GivenMasterKey,
  terminal: Terminal,
): Promise<JsonObject> {
  const { restore } = await import('../restore/restore.ts');
  const nowMs = Date.now();
  const bar = await startProgress(terminal, 1, BAR_FORMAT, { step: STEPS.fetch });
  const onProgress = ({ step, done, total }: RestoreProgress) => {
    bar?.setTotal(total);
    bar?.update(done, { step: STEPS[step] });
  };
  try {
    const { epoch, orders } = await restore(plan, folder, { key, beginsEpoch: true, nowMs, onProgress });
    const { gap, cleanEnd, position, at } = planFields(plan);
    return {
      source: plan.source,
      epoch,
      position,
      at,
      orders,
      cleanEnd,
      gap: gap === null ? null : { ...gap, to: nowMs, orders: null },
      sales: gap === null ? 'open' : 'closed',
    };
  } finally {
    bar?.stop();
  }
}

/** What a plan comes to, for people and programs. */
function planFields(plan: RestorePlan) {
  const {
    source,
    epoch,
    nextEpoch,
    position,
    lastAtMs,
    chunks,
    bytes,
    isCleanEnd,
    manifest,
    newestHead,
    passedOver,
  } = plan;
  const newest = [
    manifest === undefined ? 'no manifest' : `the newest manifest (fact ${manifest.position.seq})`,
    newestHead === undefined ? 'no signed head' : `the newest signed head (fact ${newestHead})`,
  ];
  return {
    source,
    epoch: nextEpoch,
    sourceEpoch: epoch,
    position: { seq: position.position, hash: position.hash.toString('hex') },
    at: lastAtMs,
    chunks,
    bytes,
    size: sizeText(bytes),
    cleanEnd: isCleanEnd,
    gap: isCleanEnd ? null : { from: lastAtMs },
    manifest: manifest === undefined ? null : { seq: manifest.position.seq, at: manifest.at },
    signedHead: newestHead ?? null,
    ...(passedOver.length === 0 ? {} : { notSigned: passedOver.join(', ') }),
    ...(isCleanEnd
      ? {}
      : { unseen: `what the source had behind ${newest.join(' and ')} may be missing unseen` }),
  };
}
