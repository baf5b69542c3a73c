/**
 * `purser restore SOURCE`: a data folder of a backup, made and proved here; no node is asked.
 *
 * Calls to the running node close the gap of a restored shop: the commands below `restore`. A source that has one of
 * their names is written as a path (`./status`).
 */
import { type Command, InvalidArgumentError } from 'commander';
import type { TakenAway } from '../../engine/taken-away.ts';
import type { BackupSource } from '../../restore/backup-source.ts';
import type { RestoreProgress } from '../../restore/folder-making.ts';
import type { RestorePlan, RestorePoint } from '../../restore/restore-plan.ts';
import type { GivenMasterKey } from '../../restore/restored-keys.ts';
import { moment, wholeNumber } from '../argument.ts';
import { dataFolder } from '../calls/operator-target.ts';
import { takenLines } from '../restore-taken.ts';
import { fieldLines, type JsonObject } from '../terminal/answer-text.ts';
import { GoingOn } from '../terminal/going-on.ts';
import { sizeText } from '../terminal/size-text.ts';
import { printLines, type Terminal } from '../terminal/terminal.ts';
import { givenKey } from './given-key.ts';
import { gapForPeople } from './restore-gap.ts';

/** A whole number below is a fact's. */
const FIRST_MOMENT = 1e12;

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
        const { openTarget } = await import('../../backup/target/open-target.ts');
        const { BackupSource } = await import('../../restore/backup-source.ts');
        const { withWayOut } = await import('../../restore/before-damage.ts');
        const key = await givenKey(flags, terminal, 'a backup');
        const target = openTarget(source, terminal.env, { makesFolder: false });
        const goingOn = new GoingOn(terminal, 'the restore');
        const from = new BackupSource(target, {
          onWait: (line) => line !== undefined && printLines(terminal.stderr, [line]),
        });
        try {
          const result = await planOrRestore(from, folder, key, flags, goingOn);
          printLines(terminal.stdout, flags.json === true ? [JSON.stringify(result)] : resultLines(result));
        } catch (error) {
          throw await withWayOut(error, from, key, (seq) => commandLine(source, folder, flags, seq));
        } finally {
          await target.close();
          if (target.holdsThread) terminal.onHeld?.();
        }
      })
  );
}

async function planOrRestore(
  source: BackupSource,
  folder: string,
  key: GivenMasterKey,
  { at, epoch, dryRun }: RestoreFlags,
  goingOn: GoingOn,
): Promise<JsonObject> {
  const { planRestore } = await import('../../restore/restore-plan.ts');
  const { expectPlace } = await import('../../restore/restore.ts');
  const plan = await planRestore(source, key, at, epoch);
  await expectPlace(plan, folder);
  if (dryRun === true) return { dataFolder: folder, dryRun: true, ...(await planned(plan, goingOn)) };
  return { dataFolder: folder, ...(await restored(plan, folder, key, goingOn)) };
}

const STEPS: Readonly<Record<RestoreProgress['step'], string>> = {
  fetch: 'it fetches',
  fold: 'it makes the checkpoint',
  later: 'it reads later facts',
  webhooks: 'it makes webhook events',
  verify: 'it verifies',
};

function tell(goingOn: GoingOn, { step, done, total }: RestoreProgress): void {
  goingOn.now(done === 0 ? STEPS[step] : `${STEPS[step]}: ${Math.floor((done / total) * 100)} %`);
}

/** The plan's fields, with what later facts took away. */
async function planned(plan: RestorePlan, goingOn: GoingOn): Promise<JsonObject> {
  const { readTakenAway } = await import('../../restore/later/later-facts.ts');
  const takenAway = await readTakenAway(plan, undefined, (step) => tell(goingOn, step));
  return { ...planFields(plan), ...(plan.isCleanEnd ? {} : { takenAway: await takenView(takenAway) }) };
}

/** The view of what later facts took away; null without any. */
async function takenView(taken: TakenAway | undefined): Promise<JsonObject | null> {
  const { takenAwayView } = await import('../../views/taken-away-view.ts');
  return taken === undefined ? null : takenAwayView(taken);
}

/** The command line for facts up to this one, otherwise as it was given. To be pasted into a shell. */
function commandLine(source: string, folder: string, flags: RestoreFlags, seq: number): string {
  const { epoch, masterKeyFile, dryRun } = flags;
  const words = [
    ...['purser', 'restore', source, '--data', folder],
    ...(epoch === undefined ? [] : ['--epoch', String(epoch)]),
    ...(masterKeyFile === undefined ? [] : ['--master-key-file', masterKeyFile]),
    ...(dryRun === true ? ['--dry-run'] : []),
    ...['--at', String(seq)],
  ];
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
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

async function restored(
  plan: RestorePlan,
  folder: string,
  key: GivenMasterKey,
  goingOn: GoingOn,
): Promise<JsonObject> {
  const { restore } = await import('../../restore/restore.ts');
  const nowMs = Date.now();
  const onProgress = (step: RestoreProgress) => tell(goingOn, step);
  const { epoch, orders, gap } = await restore(plan, folder, { key, beginsEpoch: true, nowMs, onProgress });
  const { cleanEnd, position, at, notSigned, unseen } = planFields(plan);
  return {
    source: plan.source,
    epoch,
    position,
    at,
    orders,
    cleanEnd,
    gap: gap === null ? null : { from: gap.fromMs, to: gap.toMs, orders: null },
    sales: gap === null ? 'open' : 'closed',
    notSigned,
    unseen,
    ...(gap === null ? {} : { takenAway: await takenView(gap.takenAway) }),
  };
}

/** The lines of a result. Fields that are undefined are left out, as in JSON. */
function resultLines({ gap, takenAway, ...result }: JsonObject): string[] {
  const there = Object.entries(result).filter(([, value]) => value !== undefined);
  return [...fieldLines({ ...Object.fromEntries(there), gap: gapForPeople(gap) }), ...takenLines(takenAway)];
}

/** The fields of a plan, for people and programs. */
function planFields(plan: RestorePlan) {
  const { source, epoch, nextEpoch, position, lastAtMs, chunks, bytes, isCleanEnd, manifest, passedOver } =
    plan;
  const proved = manifest?.position.seq ?? 0;
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
    gap: isCleanEnd ? (manifest?.gap ?? null) : { from: lastAtMs },
    manifest: manifest === undefined ? null : { seq: manifest.position.seq, at: manifest.at },
    notSigned: passedOver.length === 0 ? undefined : passedOver.join(', '),
    unseen: isCleanEnd
      ? undefined
      : `that the backup is whole is proved up to fact ${proved}; if somebody removed its last objects behind that, nothing shows it`,
  };
}
