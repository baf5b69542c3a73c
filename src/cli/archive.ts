/**
 * `purser archive`: moves old facts of a running node out of its data folder; says how that is; and brings them back into
 * the folder of a stopped node.
 *
 * A running node makes the archive itself; this command shows how far it is. Broken off, it goes on in the node.
 */
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { OPTIONS } from '../config/options.ts';
import { fieldLines, isJsonObject, type JsonObject, rowsOf } from './answer-text.ts';
import { ClientCommands, type ClientFlags, connect } from './client-commands.ts';
import { CommandFailure, UsageError } from './failure.ts';
import { dataFolder } from './operator-target.ts';
import { reasonText } from './reason.ts';
import { printLines, type Terminal, visible } from './terminal.ts';
import { withArchive } from './with-archive.ts';

const LOOK_MS = 300;
/** Who waits for a target is told so often. */
const TELL_EVERY_MS = 30_000;

interface ArchiveFlags extends ClientFlags {
  readonly before?: string;
}

interface FetchFlags {
  readonly data?: string;
  readonly json?: boolean;
}

export function addArchiveCommands(program: Command, terminal: Terminal): void {
  const archive = program
    .command('archive')
    .description("move old facts of a running node's journal to a folder or a bucket")
    .usage('[options] TARGET | status | fetch')
    .enablePositionalOptions()
    .argument('<TARGET>', 'folder, or s3://bucket/prefix')
    .option('--before <DATE>', 'facts from before this moment: a date, a time, or Unix milliseconds')
    .option('--operator <URL>', 'operator API (env: PURSER_OPERATOR_URL)')
    .option('--token <TOKEN>', 'operator token (env: PURSER_OPERATOR_TOKEN)')
    .option('--data <DIR>', 'data folder of a node on this machine (env: PURSER_DATA, default: ./data)')
    .option('--json', 'print the archive as one JSON object')
    .option('--reason <TEXT>', 'why; it is kept with the change (asked for at a terminal)', reasonText)
    .action(async (text: string, flags: ArchiveFlags) => {
      // The library would ask `status` and `fetch` for one that it requires.
      const { before } = flags;
      if (before === undefined) throw new UsageError('--before <DATE>: say how old facts are that are moved');
      const row = await follow(terminal, flags, { before, target: targetOf(text) });
      printLines(terminal.stdout, [flags.json === true ? JSON.stringify(row) : summary(row)]);
    });
  new ClientCommands(archive, terminal).read(
    'status',
    'show where the journal of a running node begins, and how its archives are',
    () => ['GET', '/archives'],
    (body) => fieldLines(body),
  );
  archive
    .command('fetch')
    .description('bring archived facts back into the data folder of a stopped node')
    .argument('<TARGET>', 'folder, or s3://bucket/prefix')
    .option('--data <DIR>', 'data folder (env: PURSER_DATA, default: ./data)')
    .option('--json', 'print the result as one JSON object')
    .action((text: string, flags: FetchFlags) => fetchBack(terminal, targetOf(text), flags));
}

function targetOf(text: string): string {
  const target = OPTIONS.archiveTarget.kind.parse(text);
  if (target === undefined) throw new UsageError(`TARGET: expected ${OPTIONS.archiveTarget.kind.expected}`);
  return target;
}

async function follow(terminal: Terminal, flags: ArchiveFlags, body: JsonObject): Promise<JsonObject> {
  const client = await connect(terminal, flags);
  const { archiveId } = (await client.call({ method: 'POST', path: '/archives', body })).body;
  for (let tellAtMs = 0; ; ) {
    const answer = await client.call({ method: 'GET', path: '/archives' });
    const row = rowsOf(answer.body, 'archives').find((each) => each.archiveId === archiveId);
    if (row === undefined)
      throw new CommandFailure('the node was started again: call `purser archive` again');
    if (row.state === 'failed') throw new CommandFailure(String(row.error));
    if (row.state === 'complete') return row;
    if (typeof row.error === 'string' && performance.now() >= tellAtMs) {
      tellAtMs = performance.now() + TELL_EVERY_MS;
      printLines(terminal.stderr, [`trying again: ${visible(row.error)}`]);
    }
    await delay(LOOK_MS);
  }
}

async function fetchBack(terminal: Terminal, target: string, flags: FetchFlags): Promise<void> {
  const folder = dataFolder(flags.data, terminal.env);
  const { bringBack } = await import('../archive/bringing-back.ts');
  const facts = await withArchive(terminal, { folder, target }, ({ store }) =>
    bringBack(resolve(folder), store),
  );
  const line = facts === 0 ? 'nothing is missing' : `facts 1 to ${facts} are back in ${folder}`;
  printLines(terminal.stdout, [flags.json === true ? JSON.stringify({ dataFolder: folder, facts }) : line]);
}

function summary({ target, position, facts, bytes, held }: JsonObject): string {
  const rest = typeof held === 'string' ? `; ${visible(held)}` : '';
  if (isJsonObject(position))
    return `complete: the journal begins behind fact ${String(position.seq)} (${String(position.hash)}); ${String(facts)} facts were moved to ${String(target)}, ${String(bytes)} bytes${rest}`;
  if (rest !== '') return `complete: nothing was moved${rest}`;
  return 'complete: no file of the journal is that old, so nothing was moved';
}
