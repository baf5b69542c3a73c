/**
 * `purser deposits audit`: the transfers of a chain in a period against the credits of the node, both read anew. A transfer
 * is missing when it credited nobody; a credit is doubled when there is no such transfer, when another account has the same,
 * or when it is of another amount.
 */
import { feedLines, newestSeq } from '../calls/feed-lines.ts';
import type { FollowOptions, OperatorClient } from '../calls/operator-client.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { ChainPayment, ChainTransfer, TronGrid } from './tron-grid.ts';

/** A credit may come before its transfer by the clocks of chain and node, and one by hand so long after it. */
const DAY_MS = 24 * 60 * 60_000;

export interface AuditOptions {
  readonly network: string;
  readonly chain: Pick<TronGrid, 'paymentsTo' | 'placed'>;
  readonly operator: OperatorClient;
  /** Unix milliseconds. */
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Finding {
  readonly problem: 'missing' | 'doubled';
  readonly reference: string;
  readonly amountUsdt: number;
  readonly accountId?: number;
}

export interface AuditReport {
  readonly transfers: number;
  readonly credits: number;
  readonly findings: readonly Finding[];
}

interface Credit {
  readonly accountId: number;
  readonly amountUsdt: number;
  /** When the chain had the transfer; of a credit by hand, which doesn't say, when that was made. */
  readonly at: number;
}

export async function auditDeposits(options: AuditOptions): Promise<AuditReport> {
  const { network, chain, operator, fromMs, untilMs } = options;
  const credits = await creditsOf(options);
  const { body } = await operator.call({ method: 'GET', path: '/deposits/addresses?watching=false' });
  const findings: Finding[] = [];
  const seen = new Set<string>();
  let count = 0;
  for (const { network: at, address } of body.addresses as { network: string; address: string }[]) {
    if (at !== network) continue;
    for await (const payments of chain.paymentsTo(address, Math.max(0, fromMs - DAY_MS), untilMs)) {
      for (const { txId, logIndex, amountUsdt, at: paidAt } of await placedOf(chain, address, payments)) {
        const reference = `${network}:${txId}:${logIndex}`;
        seen.add(reference);
        if (paidAt < fromMs) continue;
        count += 1;
        const [first, ...others] = credits.get(reference) ?? [];
        if (first === undefined) findings.push({ problem: 'missing', reference, amountUsdt });
        for (const credit of [first, ...others].filter((one) => one !== undefined))
          if (credit !== first || credit.amountUsdt !== amountUsdt)
            findings.push({ problem: 'doubled', reference, ...shown(credit) });
      }
    }
  }
  for (const [reference, all] of credits) {
    if (seen.has(reference)) continue;
    for (const credit of all) {
      if (credit.at >= fromMs && credit.at < untilMs)
        findings.push({ problem: 'doubled', reference, ...shown(credit) });
    }
  }
  return { transfers: count, credits: credits.size, findings };
}

async function placedOf(
  chain: AuditOptions['chain'],
  address: string,
  payments: readonly ChainPayment[],
): Promise<ChainTransfer[]> {
  const all: ChainTransfer[] = [];
  for (const payment of payments) {
    const transfers = await chain.placed(address, payment);
    if (transfers === undefined)
      throw new CommandFailure(
        `the chain does not list the events of ${payment.txId} yet: audit again later`,
      );
    all.push(...transfers);
  }
  return all;
}

function shown({ accountId, amountUsdt }: Credit) {
  return { accountId, amountUsdt };
}

/** By reference, of all credits since the period began. */
async function creditsOf({ network, operator, fromMs }: AuditOptions): Promise<Map<string, Credit[]>> {
  const credits = new Map<string, Credit[]>();
  for await (const line of linesOf(operator, Math.max(0, fromMs - DAY_MS))) {
    if (line.type === 'WalletCredited' && String(line.reference).startsWith(`${network}:`)) {
      const { accountId, amountUsdt, at, transfer } = line;
      const credit = { accountId, amountUsdt, at: transfer?.paidAt ?? at };
      credits.set(line.reference, [...(credits.get(line.reference) ?? []), credit]);
    }
  }
  return credits;
}

interface FeedLine {
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly reference: string;
  readonly accountId: number;
  readonly amountUsdt: number;
  readonly transfer?: { readonly paidAt: number };
}

/** The lines from a time on, through the newest. */
async function* linesOf(operator: OperatorClient, fromMs: number): AsyncIterable<FeedLine> {
  const newest = await newestSeq(operator);
  let last = 0;
  const onOpen = (headers: Parameters<NonNullable<FollowOptions['onOpen']>>[0]) => {
    last = Number(headers['x-feed-after']);
  };
  for await (const texts of feedLines(operator, `/feed?from=${fromMs}`, onOpen)) {
    for (const text of texts) {
      const line: FeedLine = JSON.parse(text);
      yield line;
      last = line.seq;
    }
    if (last >= newest) return;
  }
}
