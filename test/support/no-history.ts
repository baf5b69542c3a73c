import type { History } from '../../src/engine/history.ts';

/** The history of an empty node. */
export const noHistory: History = {
  purchaseOutcome: () => undefined,
  creditOutcome: () => undefined,
  order: () => undefined,
  orders: () => [],
};
