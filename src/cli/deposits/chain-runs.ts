/** The commands that follow a chain, `watch` and `audit`, as they run: loaded with their HTTP client when they do. */
import { readFileSync } from 'node:fs';
import { lockStateFolder } from '../../persistence/folder/state-folder.ts';
import { parseDuration } from '../../shared/duration.ts';
import { OperatorClient } from '../calls/operator-client.ts';
import { findOperator, type TargetFlags } from '../calls/operator-target.ts';
import { CommandFailure, fileTrouble } from '../terminal/failure.ts';
import { printLines, type Terminal } from '../terminal/terminal.ts';
import { auditDeposits } from './audit.ts';
import { TronGrid } from './tron-grid.ts';
import { DepositWatcher, isTold } from './watch.ts';

interface ChainFlags extends TargetFlags {
  readonly network: string;
  readonly api: string;
  readonly tokenFile?: string;
  readonly contract: string;
  readonly apiKeyFile?: string;
  readonly json?: boolean;
}

export interface WatchFlags extends ChainFlags {
  readonly state: string;
  readonly since?: number;
  readonly interval?: string;
}

export interface AuditFlags extends ChainFlags {
  readonly from: number;
  readonly until: number;
}

const DEFAULT_INTERVAL_MS = 2_000;
/** How long an audit asks a chain that doesn't answer. */
const AUDIT_PATIENCE_MS = 120_000;

export async function watch(terminal: Terminal, flags: WatchFlags): Promise<void> {
  const operator = operatorOf(terminal, flags);
  const lock = await lockStateFolder(flags.state);
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once('SIGTERM', end).once('SIGINT', end);
  const say = (line: string) => printLines(terminal.stderr, [line]);
  const { signal } = stop;
  try {
    await new DepositWatcher({
      network: flags.network,
      chain: new TronGrid({ ...chainOf(flags), signal, onTrouble: told(say) }),
      operator,
      state: flags.state,
      sinceMs: flags.since ?? Date.now(),
      intervalMs: parseDuration(flags.interval ?? '') ?? DEFAULT_INTERVAL_MS,
      signal,
      say,
    }).run();
  } finally {
    process.off('SIGTERM', end).off('SIGINT', end);
    await lock.release();
  }
}

export async function audit(terminal: Terminal, flags: AuditFlags): Promise<void> {
  const say = (line: string) => printLines(terminal.stderr, [line]);
  const chain = new TronGrid({ ...chainOf(flags), patienceMs: AUDIT_PATIENCE_MS, onTrouble: told(say) });
  const { network, from: fromMs, until: untilMs } = flags;
  const report = await auditDeposits({
    network,
    chain,
    operator: operatorOf(terminal, flags),
    fromMs,
    untilMs,
  });
  const { transfers, credits, findings } = report;
  const lines = findings.map(({ problem, reference, amountUsdt, accountId }) =>
    [
      problem,
      reference,
      `${amountUsdt} USDT`,
      ...(accountId === undefined ? [] : [`account ${accountId}`]),
    ].join('  '),
  );
  if (flags.json === true)
    printLines(terminal.stdout, [JSON.stringify({ ok: findings.length === 0, ...report })]);
  else printLines(terminal.stdout, [...lines, `${transfers} transfers, ${credits} credits.`]);
  if (findings.length > 0)
    throw new CommandFailure(
      `${findings.length} of them are missing or doubled: assign those that are missing`,
    );
}

function chainOf({ api, contract, apiKeyFile }: ChainFlags) {
  const url = api.replace(/\/+$/, '');
  return { url, contract, apiKey: apiKeyFile === undefined ? undefined : secretIn(apiKeyFile) };
}

function operatorOf(terminal: Terminal, { tokenFile, ...flags }: ChainFlags): OperatorClient {
  const token = tokenFile === undefined ? {} : { token: secretIn(tokenFile) };
  return new OperatorClient(findOperator({ ...flags, ...token }, terminal.env));
}

function secretIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CommandFailure(`${file}: ${fileTrouble(error)}`);
  }
}

function told(say: (line: string) => void): (error: unknown, failures: number) => void {
  return (error, failures) => {
    if (isTold(failures)) say(`Asking the chain again: ${(error as Error).message}`);
  };
}
