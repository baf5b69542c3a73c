/**
 * `purser restore import FOLDER`: the folder that was lost takes the restored one's place. A running node does it itself, and
 * this command only follows it to its end; a folder that no node has is worked on here.
 */
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { ROOT_OPERATOR } from '../engine/origin.ts';
import { fieldLines, isJsonObject, type JsonObject } from './answer-text.ts';
import { ClientCommands, type ClientFlags, connect } from './client-commands.ts';
import { CommandFailure, ServerRefusal } from './failure.ts';
import type { OperatorClient } from './operator-client.ts';
import { dataFolder } from './operator-target.ts';
import { Reason } from './reason.ts';
import { printLines, type Terminal } from './terminal.ts';

const LOOK_MS = 300;
/** A node that closes one folder and opens the other: longer than it drains, ships the rest, and replays. */
const PATIENCE_MS = 10 * 60_000;

interface ImportFlags extends ClientFlags {
  readonly discard?: boolean;
  readonly complete?: boolean;
}

/** `parent` is the command `restore`. */
export function addRestoreImportCommand(parent: Command, terminal: Terminal): void {
  new ClientCommands(parent, terminal)
    .command(
      'import',
      'go on with the folder that was lost, if it has turned up: by a running node, or with --data',
    )
    .argument(
      '<FOLDER>',
      'the data folder that was lost; with --operator, its path on the machine of the node',
    )
    .option('--discard', 'drop what was entered since the restore')
    .option(
      '--complete',
      'nothing was sold behind the last fact of FOLDER, which is no copy of an earlier moment: open sales at once',
    )
    .action(async (from: string, flags: ImportFlags) => {
      const reason = await new Reason(terminal, flags.reason).text();
      // It was asked for.
      const given = { ...flags, reason: reason ?? '' };
      const result =
        flags.operator === undefined
          ? await ofFolder(terminal, resolve(from), given)
          : await ofNode(await connect(terminal, given), from, given);
      printLines(terminal.stdout, flags.json === true ? [JSON.stringify(result)] : fieldLines(result));
    });
}

async function ofFolder(terminal: Terminal, from: string, flags: ImportFlags): Promise<JsonObject> {
  const folder = resolve(dataFolder(flags.data, terminal.env));
  const { importFolder } = await import('../restore/import/folder-import.ts');
  const { keyOf } = await import('../restore/import/import-making.ts');
  const { FolderInUseError } = await import('../persistence/folder/folder-lock.ts');
  const { reason = '' } = flags;
  try {
    const imported = await importFolder({
      folder,
      from,
      // A node that has the folder may have the key, and does it itself.
      key: () => keyOf(from, terminal.env.PURSER_MASTER_KEY || undefined),
      discards: flags.discard === true,
      isComplete: flags.complete === true,
      // Whoever has the folder has the owner's token.
      origin: { operatorId: ROOT_OPERATOR, ...(reason === '' ? {} : { reason }) },
      nowMs: Date.now(),
      say: (line) => printLines(terminal.stderr, [line]),
    });
    return { dataFolder: folder, ...imported };
  } catch (error) {
    if (!(error instanceof FolderInUseError) || error.folder !== folder) throw error;
    return ofNode(await connect(terminal, { ...flags, data: folder }), from, flags);
  }
}

async function ofNode(
  client: OperatorClient,
  folder: string,
  { discard, complete }: ImportFlags,
): Promise<JsonObject> {
  await client.call({
    method: 'POST',
    path: '/restore/import',
    body: { folder, ...(discard === true ? { discard } : {}), ...(complete === true ? { complete } : {}) },
  });
  for (;;) {
    const status = await statusOf(client);
    if (!isJsonObject(status.import))
      throw new CommandFailure('the node was started again: see `purser restore status`, and import again');
    const { state, error, ...result } = status.import;
    if (state === 'failed')
      throw new CommandFailure(`the restored folder goes on as before: ${String(error)}`);
    if (state === 'complete') return result;
    await delay(LOOK_MS);
  }
}

/** Patient with a node that is about to open the other folder. */
async function statusOf(client: OperatorClient): Promise<JsonObject> {
  const fromMs = performance.now();
  for (;;) {
    try {
      return (await client.call({ method: 'GET', path: '/restore' })).body;
    } catch (error) {
      const isRefused = error instanceof ServerRefusal && error.code !== 'NOT_READY';
      if (isRefused || performance.now() - fromMs > PATIENCE_MS) throw error;
      await delay(LOOK_MS);
    }
  }
}
