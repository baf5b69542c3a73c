/**
 * The past of an account before a limit was set: the checkpoint has it by minute, and what came since follows from the
 * orders that are in memory. Read when an operator sets a limit, in that turn, and put into its fact: so it is exact, and a
 * replay reads nothing.
 *
 * A bucket is whole minutes, so nothing is lost by them. An account that buys each minute of a month has 44,640 rows,
 * which take some milliseconds. Rejected: to keep the sums of all accounts in memory, at kilobytes for each.
 */
import type { History } from '../decide/history.ts';
import type { State } from '../state.ts';
import { bucketOf, firstBucket, MINUTE_MS, type SpentWindow } from './spend-limit.ts';
import { boughtAtMs, spentOn } from './spending-change.ts';

/** The windows of so many hours each, as they are now. */
export function pastSpending(
  state: State,
  history: History,
  accountId: number,
  windows: readonly number[],
  nowMs: number,
): SpentWindow[] {
  const sums = windows.map((windowHours) => ({
    windowHours,
    first: firstBucket(windowHours, nowMs),
    byBucket: new Map<number, number>(),
  }));
  const fromMinute = Math.min(...sums.map(({ windowHours, first }) => first * windowHours));
  const byMinute = new Map<number, number>();
  const add = (minute: number, amountMicros: number) => {
    if (minute >= fromMinute) byMinute.set(minute, (byMinute.get(minute) ?? 0) + amountMicros);
  };
  for (const { minute, amountMicros } of history.spentSince(accountId, fromMinute)) add(minute, amountMicros);
  addRecent(state, history, accountId, (atMs, amountMicros) =>
    add(Math.floor(atMs / MINUTE_MS), amountMicros),
  );
  for (const [minute, amountMicros] of byMinute) {
    for (const { windowHours, first, byBucket } of sums) {
      const bucket = bucketOf(windowHours, minute * MINUTE_MS);
      if (bucket >= first) byBucket.set(bucket, (byBucket.get(bucket) ?? 0) + amountMicros);
    }
  }
  return sums.map(({ windowHours, byBucket }) => {
    const bought = [...byBucket].filter(([, amountMicros]) => amountMicros !== 0);
    return { windowHours, buckets: bought.sort(([one], [other]) => one - other).flat() };
  });
}

/** The changes by facts since the checkpoint: of each order in memory, what the checkpoint doesn't count of it. */
function addRecent(
  { orders, epochs }: State,
  history: History,
  accountId: number,
  add: (atMs: number, amountMicros: number) => void,
): void {
  const lastOrderId = history.lastOrderId();
  orders.eachCost(accountId, (order) => {
    const { orderId } = order;
    const spent = spentOn(order);
    const mayBeFolded = orderId <= lastOrderId;
    // Paid when it was made and whole since: then the checkpoint counts it as it is, and need not be asked.
    const isPlain = order.isKeyed && spent === order.totalMicros && !epochs.isLost(orderId);
    if (mayBeFolded && isPlain) return;
    const folded = mayBeFolded ? history.order(orderId) : undefined;
    add(boughtAtMs(order), spent - (folded === undefined ? 0 : spentOn(folded)));
  });
}
