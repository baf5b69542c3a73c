/**
 * `purser rekey`: a new master key, or everything sealed anew with a new data key, at a running node.
 *
 * A new master key is read here, from a file, and sent to the node: never from a flag, which others could see. Sealing anew
 * goes on in the node when this command is broken off; called again, it follows what is under way.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { fieldLines, isJsonObject, type JsonObject } from './answer-text.ts';
import { ClientCommands, type ClientFlags, connect } from './client-commands.ts';
import { CommandFailure, UsageError } from './failure.ts';
import { readText } from './item-source.ts';
import type { Answer, OperatorClient } from './operator-client.ts';
import { startProgress } from './progress-bar.ts';
import type { Terminal } from './terminal.ts';

const LOOK_MS = 500;

interface RekeyFlags extends ClientFlags {
  readonly newKeyFile?: string;
  readonly dataKeys?: boolean;
}

export function addRekeyCommand(program: Command, terminal: Terminal): void {
  const commands = new ClientCommands(program, terminal);
  const command = commands.command('rekey', 'change the master key of a running node, or its data keys');
  command
    .option('--new-key-file <FILE>', 'file with the new master key, 32 bytes in base64 (`-`: standard input)')
    .option('--data-keys', 'seal all texts and secrets anew with a new data key, and show the progress')
    .action(async (flags: RekeyFlags) => {
      const { dataKeys = false, newKeyFile } = flags;
      if (dataKeys && newKeyFile !== undefined)
        throw new UsageError('--data-keys takes no --new-key-file: call `purser rekey` twice');
      const newKey =
        newKeyFile === undefined ? undefined : (await readText(newKeyFile, terminal.stdin)).trim();
      const client = await connect(terminal, flags);
      const answer = dataKeys
        ? await sealAnew(terminal, client)
        : await client.call({
            method: 'POST',
            path: '/rekey',
            body: newKey === undefined ? {} : { newKey },
          });
      commands.answerWith(command, answer, ({ sealingAnew: _, ...fields }) => fieldLines(fields));
    });
}

/** Resolves with the node's last word when everything is sealed anew. */
async function sealAnew(terminal: Terminal, client: OperatorClient): Promise<Answer> {
  let answer = await client.call({ method: 'POST', path: '/rekey/data-keys', body: {} });
  const bar = await startProgress(terminal, 0);
  try {
    for (;;) {
      const { state, looked, total, trouble } = progressIn(answer.body);
      bar?.setTotal(Number(total));
      bar?.update(Number(looked));
      if (state === 'failed') throw new CommandFailure(`sealing anew has failed: ${String(trouble)}`);
      if (state !== 'running') return answer;
      await delay(LOOK_MS);
      answer = await client.call({ method: 'GET', path: '/rekey' });
    }
  } finally {
    bar?.stop();
  }
}

function progressIn({ sealingAnew }: JsonObject): JsonObject {
  return isJsonObject(sealingAnew) ? sealingAnew : {};
}
