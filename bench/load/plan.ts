/**
 * The plan of one window of load: plain data, so that it can be sent to a load process.
 *
 * A lane is a set of connections with the same kind of traffic. Accounts and products are indexes into the
 * plan's own lists; answers are reported with the same indexes.
 */

/** `first` to `first + count - 1`. */
export interface IndexRange {
  readonly first: number;
  readonly count: number;
}

/**
 * How a request's account and product are chosen. `random`: each on its own, evenly. `contest`: every account
 * of the range asks once for the first product, then once for the second, and so on.
 */
type Choice = 'random' | 'contest';

export interface LanePlan {
  readonly name: string;
  readonly connections: number;
  readonly accounts: IndexRange;
  readonly products: IndexRange;
  readonly choice: Choice;
  /** How many connections send the same request, with the same key, at once. */
  readonly copies: number;
  /**
   * How many different products a buyer asks for at once, each with a key of its own; without it one. At most as many
   * as there are products, and with `random` only. `connections` is a multiple of `copies` times this.
   */
  readonly basket?: number;
  /** Every connection asks once, and is closed when it has its answer. Without it they ask again and again. */
  readonly once?: boolean;
  /**
   * The server may be killed: who loses a connection leaves, and a request that had no answer is among the window's
   * `unanswered`. In a closed loop only. Without it a broken connection fails the window.
   */
  readonly mayBreak?: boolean;
  /**
   * Requests a second, whatever the answers do: an open loop, with `connections` as the most under way. Without it
   * the loop is closed.
   */
  readonly perSecond?: number;
  /** The first requests of a closed loop are spread evenly over so many milliseconds. Without it all leave at once. */
  readonly spreadMs?: number;
}

/** How long a window lasts: by the clock, or until so many requests have been answered. */
export type Span =
  | { readonly kind: 'timed'; readonly warmupMs: number; readonly measureMs: number }
  | { readonly kind: 'counted'; readonly warmupRequests: number; readonly requests: number };

export interface PlannedProduct {
  readonly productId: number;
  readonly priceUsdt: number;
}

export interface LoadPlan {
  readonly host: string;
  readonly port: number;
  /** The path of the purchase call, e.g. `/api/v1/buyer/orders`. */
  readonly path: string;
  /** Starts every Idempotency-Key of this window; must differ between windows and between load processes. */
  readonly keyPrefix: string;
  readonly seed: number;
  /** All of the same length. */
  readonly apiKeys: readonly string[];
  readonly products: readonly PlannedProduct[];
  readonly lanes: readonly LanePlan[];
  readonly span: Span;
  /** Answers are kept for the check afterwards; a window that has more than this many bytes of them fails. */
  readonly maxAnswerBytes: number;
}

/** How many connections send together. */
export function squadSize({ copies, basket = 1 }: LanePlan): number {
  return copies * basket;
}

/** Into how many parts a plan can be split, so that every lane has a squad of connections in each. */
export function mostParts(plan: LoadPlan): number {
  return Math.min(...plan.lanes.map((lane) => Math.floor(lane.connections / squadSize(lane))));
}

/** Splits a plan over `parts` load processes, at most `mostParts`. */
export function dividePlan(plan: LoadPlan, parts: number): LoadPlan[] {
  return Array.from({ length: parts }, (_, part) => ({
    ...plan,
    keyPrefix: `${plan.keyPrefix}p${part}-`,
    seed: plan.seed + part,
    lanes: plan.lanes.map((lane) => ({
      ...lane,
      connections: share(lane.connections / squadSize(lane), part, parts) * squadSize(lane),
      ...(lane.perSecond === undefined ? {} : { perSecond: lane.perSecond / parts }),
      // A contest's buyers each ask once, so they are dealt out; random traffic draws from all.
      accounts: lane.choice === 'contest' ? shareOfRange(lane.accounts, part, parts) : lane.accounts,
    })),
    span: plan.span.kind === 'timed' ? plan.span : shareOfCount(plan.span, plan.lanes, part, parts),
    maxAnswerBytes: Math.floor(plan.maxAnswerBytes / parts),
  }));
}

function share(total: number, part: number, parts: number): number {
  return Math.floor((total * (part + 1)) / parts) - Math.floor((total * part) / parts);
}

function shareOfRange(range: IndexRange, part: number, parts: number): IndexRange {
  const before = Math.floor((range.count * part) / parts);
  return { first: range.first + before, count: share(range.count, part, parts) };
}

function shareOfCount(
  span: Extract<Span, { kind: 'counted' }>,
  lanes: readonly LanePlan[],
  part: number,
  parts: number,
): Span {
  const contest = lanes.find((lane) => lane.choice === 'contest');
  if (contest === undefined) {
    return {
      kind: 'counted',
      warmupRequests: share(span.warmupRequests, part, parts),
      requests: share(span.requests, part, parts),
    };
  }
  // Whole contests are counted, so that each part sends exactly its buyers' requests.
  const buyers = share(contest.accounts.count, part, parts);
  return {
    kind: 'counted',
    warmupRequests: (span.warmupRequests / contest.accounts.count) * buyers,
    requests: (span.requests / contest.accounts.count) * buyers,
  };
}
