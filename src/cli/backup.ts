/**
 * `purser backup`: a single backup of a running node, or of the folder of a stopped one; and how the continuous one is.
 *
 * A running node makes the backup itself, with its own settings and keys; this command only shows how far it is, and ends
 * when the node says that it is complete. Broken off, it goes on in the node. With `--data` of a folder that no node has,
 * the folder is read here.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { TargetError } from '../backup/target/backup-target.ts';
import { OPTIONS } from '../config/options.ts';
import { fieldLines, isJsonObject, type JsonObject, rowsOf } from './answer-text.ts';
import { ClientCommands, type ClientFlags, connect } from './client-commands.ts';
import { CommandFailure, UsageError } from './failure.ts';
import type { OperatorClient } from './operator-client.ts';
import { dataFolder } from './operator-target.ts';
import { startProgress } from './progress-bar.ts';
import { reasonText } from './reason.ts';
import { printLines, type Terminal, visible } from './terminal.ts';

const LOOK_MS = 300;
/** The time after which a target that doesn't work ends the backup of a stopped folder. */
const PATIENCE_MS = 60_000;
/** Times of the first and of every further line that tells somebody who follows a drill that it goes on. */
const TELL_AFTER_MS = 5_000;
const TELL_EVERY_MS = 30_000;
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
      if (target === undefined) throw new UsageError(`TARGET: expected ${OPTIONS.backup.kind.expected}`);
      const folder = await stoppedFolder(terminal, flags);
      const made =
        folder === undefined
          ? await ofNode(terminal, await connect(terminal, flags), target)
          : await ofFolder(terminal, folder, target);
      printLines(terminal.stdout, [flags.json === true ? JSON.stringify(made) : summary(made)]);
    });
  const commands = new ClientCommands(backup, terminal);
  addDrillCommand(commands, terminal);
  commands.read(
    'status',
    'show how the continuous backup of a running node is',
    () => ['GET', '/backups/status'],
    (body) => (body.target === null ? [NO_STATUS] : fieldLines(body)),
  );
}

/** Follows a drill to its end, the one that is under way or a new one. */
function addDrillCommand(commands: ClientCommands, terminal: Terminal): void {
  const command = commands.command('drill', 'restore the continuous backup of a running node to prove it');
  command.action(async (flags: ClientFlags) => {
    const client = await connect(terminal, flags);
    const begun = await client.call({ method: 'POST', path: '/backups/drill', body: {} });
    const before = drillIn(begun.body);
    const begunMs = performance.now();
    for (let tellAtMs = begunMs + TELL_AFTER_MS; ; ) {
      const { body } = await client.call({ method: 'GET', path: '/backups/status' });
      const drill = drillIn(body);
      if (body.drilling !== true) {
        if (drill === undefined || drill.at === before?.at)
          throw new CommandFailure('the node was stopped before the drill had ended: call it again');
        printLines(terminal.stdout, flags.json === true ? [JSON.stringify(drill)] : fieldLines(drill));
        if (drill.ok !== true) throw new CommandFailure(`the drill failed: ${String(drill.error)}`);
        return;
      }
      if (performance.now() >= tellAtMs) {
        tellAtMs += TELL_EVERY_MS;
        const seconds = Math.round((performance.now() - begunMs) / 1_000);
        const why = typeof body.error === 'string' ? visible(body.error) : 'the node restores its backup';
        printLines(terminal.stderr, [`the drill has taken ${seconds} s: ${why}`]);
      }
      await delay(LOOK_MS);
    }
  });
}

function drillIn({ drill }: JsonObject): JsonObject | undefined {
  return isJsonObject(drill) ? drill : undefined;
}

/** The folder, when `--data` names one that no node has. */
async function stoppedFolder(terminal: Terminal, flags: ClientFlags): Promise<string | undefined> {
  if (flags.operator !== undefined || flags.data === undefined) return undefined;
  const folder = dataFolder(flags.data, terminal.env);
  if (!existsSync(join(folder, 'format'))) return undefined;
  const { FolderInUseError, lockForReading } = await import('../persistence/folder/folder-lock.ts');
  try {
    await (await lockForReading(folder)).release();
    return folder;
  } catch (error) {
    if (error instanceof FolderInUseError) return undefined;
    throw error;
  }
}

async function ofNode(terminal: Terminal, client: OperatorClient, target: string): Promise<JsonObject> {
  const begun = await client.call({ method: 'POST', path: '/backups', body: { target } });
  const { backupId } = begun.body;
  const status = await client.call({ method: 'GET', path: '/status' });
  const bar = await startProgress(terminal, Number(status.body.journalPosition));
  try {
    for (;;) {
      const { body } = await client.call({ method: 'GET', path: '/backups' });
      const row = rowsOf(body, 'backups').find((each) => each.backupId === backupId);
      if (row === undefined)
        throw new CommandFailure('the node was started again: call `purser backup` again');
      if (isJsonObject(row.position)) bar?.update(Number(row.position.seq));
      if (row.state === 'failed') throw new CommandFailure(String(row.error));
      if (row.state === 'complete') return row;
      await delay(LOOK_MS);
    }
  } finally {
    bar?.stop();
  }
}

async function ofFolder(terminal: Terminal, folder: string, text: string): Promise<JsonObject> {
  const { backUpFolder } = await import('../backup/single-backup.ts');
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

function summary({ target, position, bytes }: JsonObject): string {
  const { seq, hash } = isJsonObject(position) ? position : {};
  return `complete: ${String(target)} has all facts up to ${String(seq)} (${String(hash)}), ${String(bytes)} bytes`;
}
