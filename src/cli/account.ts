import type { Command } from 'commander';
import { rateLimit, wholeNumber } from './argument.ts';
import { ClientCommands, changesIn, table } from './client-commands.ts';
import type { Terminal } from './terminal.ts';

const COLUMNS = ['accountId', 'name', 'balanceUsdt', 'heldUsdt', 'rateLimitPerMinute', 'keyPrefix'];

interface AccountFlags {
  readonly name?: string;
  readonly rateLimit?: number | 'none';
  readonly webhookConcurrency?: number;
}

export function addAccountCommands(program: Command, terminal: Terminal): void {
  const parent = program.command('account').description('buyers and their limits');
  const account = new ClientCommands(parent, terminal);
  const create = account.call('create', 'create an account', (flags: AccountFlags) => {
    return ['POST', '/accounts', settingsOf(flags)];
  });
  account.list('list', 'list accounts', { path: '/accounts', render: table('accounts', COLUMNS) });
  account.call('show <account>', 'show one account', (id: number) => ['GET', `/accounts/${id}`]);
  const update = account.call('update <account>', 'change an account', (id: number, flags: AccountFlags) => {
    return ['PATCH', `/accounts/${id}`, changesIn(settingsOf(flags), 'account update')];
  });
  create.requiredOption('--name <NAME>', 'name of the account');
  update.option('--name <NAME>', 'name of the account');
  for (const command of [create, update]) {
    command
      .option('--rate-limit <N|none>', 'requests per minute; none lifts the limit', rateLimit)
      .option('--webhook-concurrency <N>', 'webhook deliveries in progress at once', wholeNumber(1));
  }
}

function settingsOf({ name, rateLimit: limit, webhookConcurrency }: AccountFlags) {
  return { name, rateLimitPerMinute: limit === 'none' ? null : limit, webhookConcurrency };
}
