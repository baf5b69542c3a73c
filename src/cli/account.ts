/** `purser account`, `purser key` and `purser wallet`: what belongs to one buyer. */
import type { Command } from 'commander';
import {
  amount,
  id,
  networks,
  rateLimit,
  type SpendLimit,
  spendLimit,
  wholeNumber,
  words,
} from './argument.ts';
import { ClientCommands, changesIn, table } from './calls/client-commands.ts';
import { fieldLines } from './terminal/answer-text.ts';
import type { Terminal } from './terminal/terminal.ts';

const COLUMNS = 'accountId name balanceUsdt heldUsdt rateLimitPerMinute keyPrefix keyActive createdAt'.split(
  ' ',
);

interface AccountFlags {
  readonly id?: number;
  readonly name?: string;
  readonly rateLimit?: number | 'none';
  readonly webhookConcurrency?: number;
  readonly externalId?: string;
  /** False for `none`. */
  readonly allowedNetworks?: readonly string[] | false;
  readonly priceList?: number | 'none';
  /** False for `--no-spend-limit`. */
  readonly spendLimit?: readonly SpendLimit[] | false;
}

export function addAccountCommands(program: Command, terminal: Terminal): void {
  const parent = program.command('account').description('buyers and their limits');
  const account = new ClientCommands(parent, terminal);
  const create = account.once('create', 'create an account', (flags: AccountFlags) => {
    return ['POST', '/accounts', { accountId: flags.id, ...settingsOf(flags) }];
  });
  account.list('list', 'list accounts', {
    path: '/accounts',
    render: table('accounts', COLUMNS),
    filters: ['externalId', ['priceListId', 'price-list']],
    hasPeriod: true,
  });
  account.read('show <account>', 'show one account', (accountId: number) => [
    'GET',
    `/accounts/${accountId}`,
  ]);
  const update = account.call(
    'update <account>',
    'change an account',
    (accountId: number, flags: AccountFlags) => {
      return ['PATCH', `/accounts/${accountId}`, changesIn(settingsOf(flags), 'account update')];
    },
  );
  create
    .requiredOption('--name <NAME>', 'name of the account')
    .option('--id <N>', 'of an account that was lost before a restore: the number that it had', id);
  update.option('--name <NAME>', 'name of the account');
  for (const command of [create, update]) {
    command
      .option('--rate-limit <N|none>', 'requests per minute; none lifts the limit', rateLimit)
      .option('--external-id <TEXT|none>', 'your own name for it, such as telegram:123; none takes it away')
      .option('--price-list <ID|none>', 'the price list that it buys by; none: the prices of all', rateLimit)
      .option(
        '--allowed-networks <CIDR,…|none>',
        'networks and addresses from which its key works; none: anywhere',
        networks,
      )
      .option(
        '--spend-limit <HOURS:USDT>',
        'most that it may buy for in any so many hours; may be given several times',
        spendLimit,
      )
      .option('--webhook-concurrency <N>', 'webhook deliveries in progress at once', wholeNumber(1));
  }
  update.option('--no-spend-limit', 'remove all spend limits');
  addKeyCommands(program, terminal);
  addWalletCommands(program, terminal);
}

function addKeyCommands(program: Command, terminal: Terminal): void {
  const key = new ClientCommands(program.command('key').description("an account's API key"), terminal);
  key
    .once(
      'issue <account>',
      'create a new key; the previous one stops working at once',
      (accountId: number, { scopes }: { readonly scopes?: readonly string[] }) => [
        'POST',
        `/accounts/${accountId}/key`,
        { scopes },
      ],
      fieldLines,
      ({ accountId, repeated }) =>
        repeated === true
          ? `A key was issued, and the answer that showed it was lost: nobody has it. Issue another: purser key issue ${accountId}`
          : 'This key is shown only once.',
    )
    .option('--scopes <SCOPE,…>', 'what the key may do (default: everything)', words);
  key.call('revoke <account>', 'revoke the key; it stops working at once', (accountId: number) => {
    return ['DELETE', `/accounts/${accountId}/key`];
  });
  activate(key, 'deactivate', false, 'let the key open nothing until it is activated again');
  activate(key, 'activate', true, 'let a deactivated key work again');
}

function activate(key: ClientCommands, verb: string, active: boolean, description: string): void {
  key.call(`${verb} <account>`, description, (accountId: number) => [
    'PATCH',
    `/accounts/${accountId}/key`,
    { active },
  ]);
}

function addWalletCommands(program: Command, terminal: Terminal): void {
  const parent = program.command('wallet').description("an account's prepaid balance");
  new ClientCommands(parent, terminal)
    .call(
      'credit <account>',
      'add money; one reference is credited only once',
      (accountId: number, amountUsdt: number, { reference }: { readonly reference: string }) => {
        return ['POST', `/accounts/${accountId}/credits`, { amountUsdt, reference }];
      },
      fieldLines,
      ({ repeated }) =>
        repeated === true ? 'This reference was credited before: nothing was added now.' : undefined,
    )
    .argument('<amount>', 'USDT; a negative amount is a debit, never below zero', amount)
    .requiredOption('--reference <REF>', 'what the credit is for, such as a transaction id');
}

function settingsOf({
  name,
  rateLimit: limit,
  webhookConcurrency,
  externalId,
  priceList,
  allowedNetworks: allowed,
  spendLimit: most,
}: AccountFlags) {
  return {
    name,
    rateLimitPerMinute: orNull(limit),
    webhookConcurrency,
    externalId: orNull(externalId),
    priceListId: orNull(priceList),
    allowedNetworks: allowed === false ? null : allowed,
    spendLimits: most === false ? [] : most,
  };
}

function orNull<Value>(given: Value | 'none' | undefined): Exclude<Value, 'none'> | null | undefined {
  return given === 'none' ? null : (given as Exclude<Value, 'none'> | undefined);
}
