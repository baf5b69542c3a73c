/** `purser deposits`: what customers are to pay to the shop's addresses, and what came. */
import { type Command, Option } from 'commander';
import { duration, id, moment, positiveAmount, wholeNumber } from '../argument.ts';
import { ClientCommands, table } from '../calls/client-commands.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { AuditFlags, WatchFlags } from './chain-runs.ts';
import { USDT_CONTRACT } from './usdt.ts';

const COLUMNS =
  'depositId accountId state network address payUsdt amountUsdt reference createdAt expiresAt paidAt'.split(
    ' ',
  );

interface OpenFlags {
  readonly account: number;
  readonly network: string;
  readonly amount: number;
}

interface ObserveFlags {
  readonly network: string;
  readonly tx: string;
  readonly logIndex?: number;
  readonly address: string;
  readonly amount: number;
  readonly confirmations: number;
  readonly at: number;
}

interface AssignFlags {
  readonly reference: string;
  readonly account: number;
}

export function addDepositCommands(program: Command, terminal: Terminal): void {
  const parent = program.command('deposits').description('what customers pay by transfer, and what came');
  const deposits = new ClientCommands(parent, terminal);
  deposits
    .call('open', 'tell a customer what to pay, and where', ({ account, network, amount }: OpenFlags) => [
      'POST',
      `/accounts/${account}/deposits`,
      { network, amountUsdt: amount },
    ])
    .requiredOption('--account <ID>', 'who pays', id)
    .requiredOption('--network <NAME>', 'where, such as trc20')
    .requiredOption('--amount <USDT>', 'how much', positiveAmount);
  deposits.list('list', 'list deposits, or with --state unclaimed transfers that nobody claimed', {
    path: '/deposits',
    render: table('deposits', COLUMNS),
    filters: ['state', ['accountId', 'account']],
  });
  deposits.read('addresses', 'what a watcher is to follow', () => [
    'GET',
    '/deposits/addresses?watching=false',
  ]);
  deposits
    .call(
      'observe',
      'report a transfer to an address of the shop; repeat it as often as you like',
      (flags: ObserveFlags) => {
        const { network, tx: txId, logIndex, address, amount: amountUsdt, confirmations, at } = flags;
        const body = { network, txId, logIndex, address, amountUsdt, confirmations, at };
        return ['POST', '/deposits/observed', body];
      },
    )
    .requiredOption('--network <NAME>', 'where, such as trc20')
    .requiredOption('--tx <ID>', 'the transaction')
    .option('--log-index <N>', 'where the transfer stands in it (default: 0)', wholeNumber(0))
    .requiredOption('--address <ADDRESS>', 'where it went: one of the node’s')
    .requiredOption('--amount <USDT>', 'how much', positiveAmount)
    .requiredOption('--confirmations <N>', 'how many the chain has', wholeNumber(0))
    .requiredOption('--at <TIME>', 'when, by the chain', moment);
  deposits
    .call('assign', 'credit an unclaimed transfer to an account', ({ reference, account }: AssignFlags) => [
      'POST',
      `/deposits/unclaimed/${encodeURIComponent(reference)}/assign`,
      { accountId: account },
    ])
    .requiredOption('--reference <REF>', 'of the transfer, as deposits list --state unclaimed shows it')
    .requiredOption('--account <ID>', 'whose it is', id);
  chainCommand(deposits, 'watch', 'report transfers of a chain to the node, for as long as it runs')
    .requiredOption('--state <DIR>', 'folder of this watcher, which keeps its place')
    .option('--since <TIME>', 'from when on a new watcher reports (default: now)', moment)
    .option('--interval <DURATION>', 'between two looks at the chain (default: 2s)', duration)
    .action(async (flags: WatchFlags) => (await import('./chain-runs.ts')).watch(terminal, flags));
  chainCommand(deposits, 'audit', 'compare credits with the transfers of a chain')
    .requiredOption('--from <TIME>', 'transfers of this time and later', moment)
    .requiredOption('--until <TIME>', 'and before this one', moment)
    .action(async (flags: AuditFlags) => (await import('./chain-runs.ts')).audit(terminal, flags));
}

/** Chains that can be followed. */
const NETWORKS = ['trc20'];

function chainCommand(deposits: ClientCommands, name: string, description: string): Command {
  return deposits
    .readingCommand(name, description)
    .addOption(
      new Option('--network <NAME>', 'the chain and token').choices(NETWORKS).makeOptionMandatory(true),
    )
    .requiredOption('--api <URL>', 'its HTTP API, such as https://api.trongrid.io')
    .option('--token-file <FILE>', 'file with the operator token')
    .option('--contract <ADDRESS>', 'contract of the token (default: USDT)', USDT_CONTRACT)
    .option('--api-key-file <FILE>', 'file with a key of the HTTP API');
}
