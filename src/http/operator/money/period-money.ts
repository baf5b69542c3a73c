/**
 * Sums of money over any period: whole days from the fold's sums, and the parts of days at its edges from the journal.
 *
 * Invariant: all of an answer is of one checkpoint. After a fold in between, the checkpoint is read again; only where
 * folds follow each other faster than that, rows may be a moment younger than the totals. A period that has ended is
 * beyond that: its days don't change.
 */
import { addSums, type MoneySums, noSums } from '../../../engine/apply/money-change.ts';
import type { PeriodSums } from '../../../feed/fact-feed.ts';
import { lastAtMsOf } from '../../../persistence/checkpoint/checkpoint.ts';
import {
  DAY_MS,
  dayOf,
  daysOf,
  NODE_ID,
  nextIdWithSums,
  type SumsOf,
} from '../../../persistence/checkpoint/day-sums.ts';
import { Slices } from '../../../shared/slices.ts';
import type { Period } from '../moment.ts';
import type { OperatorServices } from '../operator-route.ts';
import type { Page } from '../page.ts';
import type { PeriodEdges } from './period-edges.ts';

/** Products or accounts that one page looks at: a page may be short, and still have a `nextCursor`. */
const MAX_EXAMINED = 20_000;
const MAX_TRIES = 3;

interface Services extends Pick<OperatorServices, 'checkpoint'> {
  readonly edges: PeriodEdges;
}

export interface MoneyQuestion extends Period {
  readonly of: SumsOf;
  readonly page: Page;
}

export interface MoneyRow {
  /** The id of a product or an account; of rows by day, the day. */
  readonly id: number;
  readonly sums: MoneySums;
}

export interface PeriodMoney {
  readonly total: MoneySums;
  readonly rows: readonly MoneyRow[];
  readonly nextCursor: { readonly nextCursor?: string };
}

/** A part of one day. */
interface Edge extends Period {
  readonly day: number;
  readonly sums: PeriodSums;
}

/** Whole days, the last one not in it; and what is beside them. */
interface Split {
  readonly firstDay: number;
  readonly endDay: number;
  readonly edges: readonly SplitEdge[];
}

interface SplitEdge extends Period {
  /** Whether no fact of it is still to come. Beside one that goes on there are no whole days. */
  readonly isOver: boolean;
}

/** Why there are none: too many ask, or no row is where the page is to begin. */
type NoMoney = 'busy' | 'bad cursor';

export async function moneyInPeriod(
  services: Services,
  question: MoneyQuestion,
): Promise<PeriodMoney | NoMoney> {
  let edges: Edge[] | 'busy' = [];
  for (let tries = 1; ; tries += 1) {
    const { position } = services.checkpoint.list;
    const split = splitPeriod(question, lastAtMsOf(services.checkpoint));
    edges = await readEdges(services, question, split, position, edges);
    if (typeof edges === 'string') return edges;
    const money = await readDays(services, question, split, edges);
    const isOfOne = split.edges.some(({ isOver }) => !isOver);
    if (isOfOne || tries === MAX_TRIES || services.checkpoint.list.position === position) return money;
  }
}

/** A day that goes on is whole when the period outlasts all facts, of which the last is of `lastAtMs`. */
function splitPeriod({ fromMs, toMs }: Period, lastAtMs: number): Split {
  const firstDay = Math.ceil(fromMs / DAY_MS);
  const endDay = toMs > lastAtMs ? dayOf(lastAtMs) + 1 : dayOf(toMs);
  const edgeOf = (edge: Period) => ({ ...edge, isOver: edge.toMs <= lastAtMs });
  if (firstDay > endDay) return { firstDay, endDay: firstDay, edges: [edgeOf({ fromMs, toMs })] };
  const edges = [
    { fromMs, toMs: firstDay * DAY_MS },
    { fromMs: endDay * DAY_MS, toMs },
  ];
  return {
    firstDay,
    endDay,
    edges: edges.filter((edge) => edge.fromMs < edge.toMs && edge.fromMs <= lastAtMs).map(edgeOf),
  };
}

/** `had` were read before: they are over. */
async function readEdges(
  services: Services,
  { of }: MoneyQuestion,
  { edges }: Split,
  through: number,
  had: readonly Edge[],
): Promise<Edge[] | 'busy'> {
  const read: Edge[] = [];
  for (const edge of edges) {
    const { fromMs, toMs } = edge;
    const before = had.find((one) => one.fromMs === fromMs && one.toMs === toMs);
    const sums = before?.sums ?? (await services.edges.sumsOf({ of, ...edge, through }));
    if (typeof sums === 'string') return sums;
    read.push({ fromMs, toMs, day: dayOf(fromMs), sums });
  }
  return read;
}

async function readDays(
  services: Services,
  question: MoneyQuestion,
  split: Split,
  edges: readonly Edge[],
): Promise<PeriodMoney | NoMoney> {
  const byDay = await readNodeDays(services, split);
  const total = noSums();
  for (const sums of byDay.values()) addSums(total, sums);
  for (const { day, sums } of edges) {
    addSums(total, sums.total);
    if (sums.rows.size > 0) byDay.set(day, sums.total);
  }
  const { after, limit } = question.page;
  if (question.of !== 'node') {
    if (after > 0 && nextIdWithSums(services.checkpoint, question.of, after) !== after) return 'bad cursor';
    return { total, ...(await readIds(services, question, split, edges)) };
  }
  if (after > 0 && !byDay.has(after)) return 'bad cursor';
  const rows = [...byDay].map(([id, sums]) => ({ id, sums })).sort((a, b) => a.id - b.id);
  const behind = rows.filter(({ id }) => id > after);
  const page = behind.slice(0, limit);
  return { total, rows: page, nextCursor: behind.length > limit ? cursorAt(page.at(-1)?.id ?? after) : {} };
}

async function readNodeDays(
  { checkpoint }: Services,
  { firstDay, endDay }: Split,
): Promise<Map<number, MoneySums>> {
  const slices = new Slices();
  const sums = new Map<number, MoneySums>();
  let next = firstDay;
  while (next < endDay) {
    const start = next;
    next = endDay;
    for (const row of daysOf(checkpoint, 'node', NODE_ID, start, endDay)) {
      sums.set(row.day, row.sums);
      if (!slices.isFull) continue;
      next = row.day + 1;
      break;
    }
    if (next < endDay) await slices.rest();
  }
  return sums;
}

/**
 * Products or accounts with movements, in the order of their ids. An id that an edge has is among those of the days.
 */
async function readIds(
  { checkpoint }: Services,
  { of, page }: MoneyQuestion,
  { firstDay, endDay }: Split,
  edges: readonly Edge[],
): Promise<Omit<PeriodMoney, 'total'>> {
  const slices = new Slices();
  const rows: MoneyRow[] = [];
  let last = page.after;
  for (let examined = 0; ; examined += 1) {
    if (slices.isFull) await slices.rest();
    const id = nextIdWithSums(checkpoint, of, last + 1);
    if (id === undefined) return { rows, nextCursor: {} };
    if (rows.length === page.limit || examined === MAX_EXAMINED) return { rows, nextCursor: cursorAt(last) };
    last = id;
    const parts = Array.from(daysOf(checkpoint, of, id, firstDay, endDay), ({ sums }) => sums);
    for (const edge of edges) {
      const sums = edge.sums.rows.get(id);
      if (sums !== undefined) parts.push(sums);
    }
    const sum = noSums();
    for (const part of parts) addSums(sum, part);
    if (parts.length > 0) rows.push({ id, sums: sum });
  }
}

function cursorAt(id: number): { readonly nextCursor: string } {
  return { nextCursor: String(id) };
}
