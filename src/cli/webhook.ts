import { type Command, InvalidArgumentError } from 'commander';
import { moment } from './argument.ts';
import { ClientCommands, type ClientFlags, connect, printAnswer, table } from './calls/client-commands.ts';
import { isJsonObject, type JsonObject, rowsOf, tableLines } from './terminal/answer-text.ts';
import { CommandFailure, usageError } from './terminal/failure.ts';
import { printLines, type Terminal } from './terminal/terminal.ts';

const COLUMNS = ['eventId', 'type', 'status', 'createdAt', 'attempts', 'last', 'nextAttemptAt'];
const EVENT_ID = /^evt_[0-9A-Za-z_]{1,64}$/;

interface ReplayFlags extends ClientFlags {
  readonly since?: number;
  readonly status?: string;
  readonly dryRun?: boolean;
}

export function addWebhookCommands(program: Command, terminal: Terminal): void {
  const parent = program.command('webhook').description('webhook deliveries, replays and tests');
  const webhook = new ClientCommands(parent, terminal);
  webhook.list('list', 'list the accounts with a webhook: where it goes, and whether it works', {
    path: '/webhooks',
    render: table('webhooks', ['accountId', 'name', 'host', 'events', 'failing', 'pending']),
    maxRows: 50,
  });
  webhook.list('deliveries <account>', "list an account's events and their deliveries, newest first", {
    path: '/webhooks/{id}/deliveries',
    render: (body) => tableLines(rowsOf(body, 'deliveries').map(row), COLUMNS),
    hasPeriod: true,
    maxRows: 50,
  });
  webhook
    .command('replay <account>', 'send one event again, or all events since a time')
    .argument('[event]', 'event id, evt_…', eventId)
    .option(
      '--since <TIME>',
      'all events since 2026-10-31, 2026-10-31T12:00:00Z, or Unix milliseconds',
      moment,
    )
    .option('--status <STATUS>', 'with --since: only delivered or only discarded events')
    .option('--dry-run', 'with --since: send nothing, say how many events it would send')
    .action((accountId: number, event: string | undefined, flags: ReplayFlags) =>
      replay(terminal, accountId, event, flags),
    );
  webhook
    .command('test <account>', 'send a test event, and show the result')
    .action((accountId: number, flags: ClientFlags) => test(terminal, accountId, flags));
}

/** Prints how it went; fails unless the receiver took it, so that scripts can ask. */
async function test(terminal: Terminal, accountId: number, flags: ClientFlags): Promise<void> {
  const client = await connect(terminal, flags);
  const answer = await client.call({ method: 'POST', path: `/webhooks/${accountId}/test` });
  printAnswer(terminal, flags, answer);
  const { attempt } = answer.body;
  if (!isJsonObject(attempt)) return;
  const status = Number(attempt.status);
  if (!(status >= 200 && status <= 299))
    throw new CommandFailure('the receiver did not accept the test event');
}

async function replay(
  terminal: Terminal,
  accountId: number,
  event: string | undefined,
  flags: ReplayFlags,
): Promise<void> {
  if ((event === undefined) === (flags.since === undefined)) {
    throw usageError('name one event, or give --since');
  }
  if (event === undefined) return replaySince(terminal, accountId, flags);
  if (flags.status !== undefined) throw usageError('--status needs --since');
  if (flags.dryRun !== undefined) throw usageError('--dry-run needs --since');
  const operator = await connect(terminal, flags);
  const path = `/webhooks/${accountId}/deliveries/${event}/replay`;
  printAnswer(terminal, flags, await operator.call({ method: 'POST', path }));
}

/** The server looks at some hundreds of events a call, so it is called until there are no more. */
async function replaySince(terminal: Terminal, accountId: number, flags: ReplayFlags): Promise<void> {
  const operator = await connect(terminal, flags);
  const { since, status, dryRun } = flags;
  const body = { since, status, dryRun };
  const field = dryRun === true ? 'wouldReplay' : 'replayed';
  let total = 0;
  let query = '';
  for (;;) {
    const path = `/webhooks/${accountId}/replay${query}`;
    const answer = await operator.call({ method: 'POST', path, body });
    const { [field]: count, nextCursor } = answer.body;
    if (typeof count === 'number') total += count;
    if (typeof nextCursor !== 'string') break;
    const next = `?${new URLSearchParams({ cursor: nextCursor })}`;
    if (next === query) throw new CommandFailure('the server gave the same cursor twice');
    query = next;
  }
  const isJson = flags.json === true;
  printLines(terminal.stdout, [isJson ? JSON.stringify({ [field]: total }) : `${field}: ${total}`]);
}

/** A delivery with the number of its attempts in their place, and the result of the last. */
function row(delivery: JsonObject): JsonObject {
  const attempts = rowsOf(delivery, 'attempts');
  const { status, error } = attempts.at(-1) ?? {};
  const last = status ?? (isJsonObject(error) ? error.code : undefined);
  return { ...delivery, attempts: attempts.length, ...(last === undefined ? {} : { last }) };
}

function eventId(text: string): string {
  if (EVENT_ID.test(text)) return text;
  throw new InvalidArgumentError('expected the id of an event, evt_…');
}
