/**
 * `purser deposits audit`: the transfers of a chain in a period against the credits of the node, both read anew. A transfer
 * is missing when it credited nobody; a credit is doubled when there is no such transfer, when another account has the same,
 * or when it is of another amount.
 */
import { Buffer } from 'node:buffer';
import type { OperatorClient } from '../calls/operator-client.ts';
import type { TronGrid } from './tron-grid.ts';

const SILENCE_MS = 45_000;
/** Credits come after their transfers, and those by hand whenever somebody makes them. */
const DAY_MS = 24 * 60 * 60_000;

export interface AuditOptions {
  readonly network: string;
  readonly chain: Pick<TronGrid, 'transfersTo'>;
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
  readonly paidAt: number | undefined;
}

export async function auditDeposits(options: AuditOptions): Promise<AuditReport> {
  const { network, chain, operator, fromMs, untilMs } = options;
  const credits = await creditsOf(options);
  const { body } = await operator.call({ method: 'GET', path: '/deposits/addresses' });
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const { network: at, address } of body.addresses as { network: string; address: string }[]) {
    if (at !== network) continue;
    for await (const transfers of chain.transfersTo(address, fromMs, untilMs)) {
      for (const { txId, logIndex, amountUsdt } of transfers) {
        const reference = `${network}:${txId}:${logIndex}`;
        seen.add(reference);
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
      const { paidAt } = credit;
      // By hand nobody says when the chain had it.
      if (paidAt === undefined || (paidAt >= fromMs && paidAt < untilMs))
        findings.push({ problem: 'doubled', reference, ...shown(credit) });
    }
  }
  return { transfers: seen.size, credits: credits.size, findings };
}

function shown({ accountId, amountUsdt }: Credit) {
  return { accountId, amountUsdt };
}

/** By reference, of all credits since the period began. */
async function creditsOf({ network, operator, fromMs }: AuditOptions): Promise<Map<string, Credit[]>> {
  const credits = new Map<string, Credit[]>();
  const { body } = await operator.call({ method: 'GET', path: '/status' });
  const newest = Number(body.journalPosition);
  for await (const line of linesOf(operator, `/feed?from=${Math.max(0, fromMs - DAY_MS)}`)) {
    if (line.type === 'WalletCredited' && String(line.reference).startsWith(`${network}:`)) {
      const { accountId, amountUsdt, transfer } = line;
      const credit = { accountId, amountUsdt, paidAt: transfer?.paidAt };
      credits.set(line.reference, [...(credits.get(line.reference) ?? []), credit]);
    }
    if (line.seq >= newest) break;
  }
  return credits;
}

interface FeedLine {
  readonly seq: number;
  readonly type: string;
  readonly reference: string;
  readonly accountId: number;
  readonly amountUsdt: number;
  readonly transfer?: { readonly paidAt: number };
}

async function* linesOf(operator: OperatorClient, path: string): AsyncIterable<FeedLine> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of operator.follow(path, SILENCE_MS)) {
    const lines = (rest + decoder.decode(Buffer.from(chunk), { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line);
  }
}
