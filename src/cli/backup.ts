/**
 * `purser backup`: a single backup of a running node, or of the folder of a stopped one; and how the continuous one is.
 *
 * A running node makes the backup itself, with its own settings and keys; this command follows it. With `--data` of a
 * folder that no node has, the folder is read here.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { TargetError } from '../backup/target/backup-target.ts';
import { OPTIONS } from '../config/options.ts';
import { DataFolderError } from '../persistence/folder/data-folder-error.ts';
import { ClientCommands, type ClientFlags } from './calls/client-commands.ts';
import { dataFolder } from './calls/operator-target.ts';
import { type FollowedJob, followJob } from './follow-job.ts';
import { fieldLines, isJsonObject, type JsonObject, rowsOf } from './terminal/answer-text.ts';
import { usageError } from './terminal/failure.ts';
import { reasonText } from './terminal/reason.ts';
import { printLines, type Terminal, visible } from './terminal/terminal.ts';

/** The time after which a target that doesn't work ends the backup of a stopped folder. */
const PATIENCE_MS = 60_000;
const NO_STATUS = 'this node has no continuous backup: start it with --backup TARGET';

export function addBackupCommands(program: Command, terminal: Terminal): void {
  const backup = program
    .command('backup')
    .description('back the shop up: of a running node, or of a stopped one with --data')
    .usage('[options] TARGET | status | drill')
    // What stands behind `status` or `drill` is for that.
    .enablePositionalOptions()
    .argument('<TARGET>', 'folder, or s3://bucket/prefix')
    .option('--operator <URL>', 'operator API (env: PURSER_OPERATOR_URL)')
    .option('--token <TOKEN>', 'operator token (env: PURSER_OPERATOR_TOKEN)')
    .option('--data <DIR>', 'data folder on this machine (env: PURSER_DATA, default: ./data)')
    .option('--json', 'print the backup as one JSON object')
    .option('--reason <TEXT>', 'why; it is kept with the change (asked for at a terminal)', reasonText)
    .action(async (text: string, flags: ClientFlags) => {
      const target = OPTIONS.backup.kind.parse(text);
      if (target === undefined) throw usageError(`TARGET: expected ${OPTIONS.backup.kind.expected}`);
      const folder = await stoppedFolder(terminal, flags);
      if (folder === undefined) return followJob(terminal, flags, backupTo(target));
      const made = await ofFolder(terminal, folder, target);
      printLines(terminal.stdout, flags.json === true ? [JSON.stringify(made)] : summary(made));
    });
  const commands = new ClientCommands(backup, terminal);
  commands
    .command('drill', 'restore the continuous backup of a running node to prove it')
    .action((flags: ClientFlags) => followJob(terminal, flags, DRILL));
  commands.read(
    'status',
    'show how the continuous backup of a running node is',
    () => ['GET', '/backups/status'],
    (body) => (body.target === null ? [NO_STATUS] : fieldLines(body)),
  );
}

const DRILL: FollowedJob = {
  name: 'the drill',
  begin: { method: 'POST', path: '/backups/drill', body: {} },
  look: { method: 'GET', path: '/backups/status' },
  see: (body, begun) => {
    if (body.drilling === true) return { does: body.error ?? 'the node restores its backup' };
    const drill = rowIn(body, 'drill');
    if (drill === undefined || drill.at === rowIn(begun, 'drill')?.at) return undefined;
    return { outcome: drill, error: drill.error };
  },
};

function backupTo(target: string): FollowedJob {
  return {
    name: 'the backup',
    begin: { method: 'POST', path: '/backups', body: { target } },
    look: { method: 'GET', path: '/backups' },
    see: (body, { backupId }) => {
      const row = rowsOf(body, 'backups').find((each) => each.backupId === backupId);
      if (row?.state !== 'running') return row && { outcome: row, error: row.error };
      const done = Number(rowIn(row, 'position')?.seq ?? 0);
      return { does: `the target has all facts up to ${done}` };
    },
    render: summary,
  };
}

function rowIn(body: JsonObject, key: string): JsonObject | undefined {
  const row = body[key];
  return isJsonObject(row) ? row : undefined;
}

/** The folder, when `--data` names one that no node has. */
async function stoppedFolder(terminal: Terminal, flags: ClientFlags): Promise<string | undefined> {
  if (flags.operator !== undefined || flags.data === undefined) return undefined;
  const folder = dataFolder(flags.data, terminal.env);
  if (!existsSync(join(folder, 'format'))) return undefined;
  const { lockForReading } = await import('../persistence/folder/folder-lock.ts');
  try {
    await (await lockForReading(folder)).release();
    return folder;
  } catch (error) {
    if (DataFolderError.is(error, 'in-use')) return undefined;
    throw error;
  }
}

async function ofFolder(terminal: Terminal, folder: string, text: string): Promise<JsonObject> {
  const { backUpFolder } = await import('../backup/shipping/single-backup.ts');
  const { Retrying } = await import('../backup/retrying.ts');
  const { openTarget } = await import('../backup/target/open-target.ts');
  const target = openTarget(text, terminal.env, { makesFolder: true, dataFolder: resolve(folder) });
  const { signal } = new AbortController();
  let bytes = 0;
  let told: string | undefined;
  const onTrouble = (error: TargetError | undefined) => {
    if (error?.fault !== 'unreachable' || error.message === told) return;
    told = error.message;
    printLines(terminal.stderr, [`trying again: ${visible(told)}`]);
  };
  try {
    const { position, at } = await backUpFolder(folder, terminal.env.PURSER_MASTER_KEY || undefined, {
      target,
      rest: 0,
      clock: Date.now,
      retrying: new Retrying({ signal, patienceMs: PATIENCE_MS, onTrouble }),
      onProgress: (_, total) => {
        bytes = total;
      },
    });
    return { target: target.url, state: 'complete', position, bytes, at };
  } finally {
    await target.close();
    if (target.holdsThread) terminal.onHeld?.();
  }
}

function summary(row: JsonObject): string[] {
  if (row.state !== 'complete') return fieldLines(row);
  const { seq, hash } = rowIn(row, 'position') ?? {};
  return [
    `complete: ${String(row.target)} has all facts up to ${String(seq)} (${String(hash)}), ${String(row.bytes)} bytes`,
  ];
}
