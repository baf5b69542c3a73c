/**
 * Sums of money over any period: whole spans (days or quarters of an hour) from the fold's sums, and the parts of spans
 * at its edges from the journal. Days are put together of quarters, as the zone has them.
 *
 * Invariant: all of an answer is of one checkpoint. After a fold in between, the checkpoint is read again; only where
 * folds follow each other faster than that, rows may be a moment younger than the totals. A period that has ended is
 * beyond that: its days don't change.
 */
import { addSums, type MoneySums, noSums } from '../../../engine/apply/money-change.ts';
import type { PeriodSums } from '../../../feed/fact-feed.ts';
import { lastAtMsOf } from '../../../persistence/checkpoint/checkpoint.ts';
import {
  NODE_ID,
  nextIdWithSums,
  SPAN_MS,
  type SumsOf,
  spansOf,
} from '../../../persistence/checkpoint/day-sums.ts';
import { Slices } from '../../../shared/slices.ts';
import type { Period } from '../moment.ts';
import type { OperatorServices } from '../operator-route.ts';
import type { Page } from '../page.ts';
import type { TimeZone } from '../time-zone.ts';
import type { PeriodEdges } from './period-edges.ts';

/** Products or accounts that one page looks at: a page may be short, and still have a `nextCursor`. */
const MAX_EXAMINED = 20_000;
const MAX_TRIES = 3;

interface Services extends Pick<OperatorServices, 'checkpoint'> {
  readonly edges: PeriodEdges;
}

export interface MoneyQuestion extends Period {
  readonly of: SumsOf;
  /** Whose days rows by day are. */
  readonly zone: TimeZone;
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

/** A part of one span. */
interface Edge extends Period {
  readonly sums: PeriodSums;
}

/** Whole spans, the last one not in it; and what is beside them. */
interface Split {
  readonly first: number;
  readonly end: number;
  readonly edges: readonly SplitEdge[];
}

interface SplitEdge extends Period {
  /** Whether no fact of it is still to come. Beside one that goes on there are no whole spans. */
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
    const money = await readSpans(services, question, split, edges);
    const isOfOne = split.edges.some(({ isOver }) => !isOver);
    if (isOfOne || tries === MAX_TRIES || services.checkpoint.list.position === position) return money;
  }
}

/** A span that goes on is whole when the period outlasts all facts, of which the last is of `lastAtMs`. */
function splitPeriod({ of, fromMs, toMs }: MoneyQuestion, lastAtMs: number): Split {
  const spanMs = SPAN_MS[of];
  const first = Math.ceil(fromMs / spanMs);
  const end = toMs > lastAtMs ? Math.floor(lastAtMs / spanMs) + 1 : Math.floor(toMs / spanMs);
  const edgeOf = (edge: Period) => ({ ...edge, isOver: edge.toMs <= lastAtMs });
  if (first > end) return { first, end: first, edges: [edgeOf({ fromMs, toMs })] };
  const edges = [
    { fromMs, toMs: first * spanMs },
    { fromMs: end * spanMs, toMs },
  ];
  return {
    first,
    end,
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
    read.push({ fromMs, toMs, sums });
  }
  return read;
}

async function readSpans(
  services: Services,
  question: MoneyQuestion,
  split: Split,
  edges: readonly Edge[],
): Promise<PeriodMoney | NoMoney> {
  const { of, zone } = question;
  const { after, limit } = question.page;
  const total = noSums();
  for (const { sums } of edges) addSums(total, sums.total);
  if (of !== 'node') {
    await readNode(services, of, split, (_, sums) => addSums(total, sums));
    if (after > 0 && nextIdWithSums(services.checkpoint, of, after) !== after) return 'bad cursor';
    return { total, ...(await readIds(services, question, split, edges)) };
  }
  const days = new DaysOfZone(zone);
  await readNode(services, of, split, (atMs, sums) => {
    addSums(total, sums);
    days.add(atMs, sums);
  });
  for (const { fromMs, sums } of edges) if (sums.rows.size > 0) days.add(fromMs, sums.total);
  if (after > 0 && !days.sums.has(after)) return 'bad cursor';
  const rows = [...days.sums].map(([id, sums]) => ({ id, sums })).sort((a, b) => a.id - b.id);
  const behind = rows.filter(({ id }) => id > after);
  const page = behind.slice(0, limit);
  return { total, rows: page, nextCursor: behind.length > limit ? cursorAt(page.at(-1)?.id ?? after) : {} };
}

/** Sums by the days of a zone. */
class DaysOfZone {
  readonly sums = new Map<number, MoneySums>();
  readonly #zone: TimeZone;
  /** The day that was added to last. */
  #day = 0;
  #beginsMs = 0;
  #endsMs = 0;

  constructor(zone: TimeZone) {
    this.#zone = zone;
  }

  /** Adds what was within a quarter of an hour from this moment on. */
  add(atMs: number, more: MoneySums): void {
    if (atMs < this.#beginsMs || atMs >= this.#endsMs) {
      this.#day = this.#zone.dayOf(atMs);
      this.#beginsMs = this.#zone.beginningOf(this.#day);
      this.#endsMs = this.#zone.beginningOf(this.#day + 1);
    }
    const sums = this.sums.get(this.#day) ?? noSums();
    addSums(sums, more);
    this.sums.set(this.#day, sums);
  }
}

/** Gives the node's sums in the split's whole spans to `take`, with the moments from which on they are. */
async function readNode(
  { checkpoint }: Services,
  of: SumsOf,
  split: Split,
  take: (atMs: number, sums: MoneySums) => void,
): Promise<void> {
  const slices = new Slices();
  const quarters = SPAN_MS[of] / SPAN_MS.node;
  const end = split.end * quarters;
  let next = split.first * quarters;
  while (next < end) {
    const start = next;
    next = end;
    for (const { span, sums } of spansOf(checkpoint, 'node', NODE_ID, start, end)) {
      take(span * SPAN_MS.node, sums);
      if (!slices.isFull) continue;
      next = span + 1;
      break;
    }
    if (next < end) await slices.rest();
  }
}

/**
 * Products or accounts with movements, in the order of their ids. An id that an edge has is among those of whole spans.
 */
async function readIds(
  { checkpoint }: Services,
  { of, page }: MoneyQuestion,
  { first, end }: Split,
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
    const parts = Array.from(spansOf(checkpoint, of, id, first, end), ({ sums }) => sums);
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
