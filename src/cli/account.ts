import type { Command } from 'commander';
import { id, rateLimit, wholeNumber } from './argument.ts';
import { type ClientFlags, callAndPrint, clientCommand } from './client-command.ts';
import { UsageError } from './failure.ts';
import { listCommand } from './list-command.ts';
import type { Terminal } from './terminal.ts';

const COLUMNS = ['accountId', 'name', 'balanceUsdt', 'heldUsdt', 'rateLimitPerMinute', 'keyPrefix'];

interface AccountFlags extends ClientFlags {
  readonly name?: string;
  readonly rateLimit?: number | 'none';
  readonly webhookConcurrency?: number;
}

export function addAccountCommands(program: Command, terminal: Terminal): void {
  const account = program.command('account').description('buyers and their limits');
  addSettings(clientCommand(account, 'create', 'open an account'))
    .requiredOption('--name <NAME>', 'name of the account')
    .action((flags: AccountFlags) =>
      callAndPrint(terminal, flags, { method: 'POST', path: '/accounts', body: settingsOf(flags) }),
    );
  listCommand(account, terminal, { path: '/accounts', key: 'accounts', columns: COLUMNS });
  clientCommand(account, 'show', 'one account')
    .argument('<account>', 'account id', id)
    .action((accountId: number, flags: ClientFlags) =>
      callAndPrint(terminal, flags, { method: 'GET', path: `/accounts/${accountId}` }),
    );
  addSettings(clientCommand(account, 'update', 'change an account'))
    .argument('<account>', 'account id', id)
    .option('--name <NAME>', 'name of the account')
    .action((accountId: number, flags: AccountFlags) => {
      const body = settingsOf(flags);
      if (Object.keys(body).length === 0) {
        throw new UsageError('nothing to change: give --name, --rate-limit or --webhook-concurrency');
      }
      return callAndPrint(terminal, flags, { method: 'PATCH', path: `/accounts/${accountId}`, body });
    });
}

function addSettings(command: Command): Command {
  return command
    .option('--rate-limit <N|none>', 'requests a minute; none lifts the limit', rateLimit)
    .option('--webhook-concurrency <N>', 'webhook deliveries under way at once', wholeNumber(1));
}

function settingsOf({ name, rateLimit: limit, webhookConcurrency }: AccountFlags) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(limit === undefined ? {} : { rateLimitPerMinute: limit === 'none' ? null : limit }),
    ...(webhookConcurrency === undefined ? {} : { webhookConcurrency }),
  };
}
