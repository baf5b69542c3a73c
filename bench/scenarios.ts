/** The contention scenarios: who buys what over how many connections, and which refusals are right. */
import type { AuditedLane } from './audit.ts';
import type { IndexRange, LanePlan, Span } from './load/plan.ts';
import { catalog, hotProduct, type World } from './world.ts';

export const comparedScenarios = ['uniform', 'hot-product', 'hot-wallet', 'last-item', 'same-key'] as const;
export type ComparedScenario = (typeof comparedScenarios)[number];
/** What runs in every round: the scenarios, and the two peers that sell nothing. */
export type Contender = ComparedScenario | 'floor' | 'ceiling';
export const scenarioNames = ['ceiling', 'floor', ...comparedScenarios, 'flood', 'history'] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** How many connections send each key of `same-key` at once. */
export const copiesOfKey = 20;

export interface Timing {
  readonly warmupMs: number;
  readonly measureMs: number;
  /** Contests of `last-item` in a window; one more is run first, to warm up. */
  readonly contests: number;
}

export interface WindowShape {
  readonly lanes: readonly AuditedLane[];
  readonly span: Span;
}

const traffic = { name: 'buyers', choice: 'random', copies: 1 } as const;

/** `contests` are the products made for `last-item`; the other scenarios ignore them. */
export function windowShape(
  scenario: Contender,
  connections: number,
  timing: Timing,
  { customers, bigSpender }: World,
  contests: IndexRange,
): WindowShape {
  const timed: Span = { kind: 'timed', warmupMs: timing.warmupMs, measureMs: timing.measureMs };
  const only = (plan: LanePlan, refusals: readonly string[] = []) => [{ plan, refusals }];
  switch (scenario) {
    case 'ceiling':
    case 'floor':
    case 'uniform':
      return {
        lanes: only({ ...traffic, connections, accounts: customers, products: catalog }),
        span: timed,
      };
    case 'hot-product':
      return {
        lanes: only({ ...traffic, connections, accounts: customers, products: hotProduct }),
        span: timed,
      };
    case 'hot-wallet':
      return {
        lanes: only({ ...traffic, connections, accounts: bigSpender, products: catalog }),
        span: timed,
      };
    case 'same-key': {
      const whole = Math.max(1, Math.floor(connections / copiesOfKey)) * copiesOfKey;
      const plan = {
        ...traffic,
        connections: whole,
        accounts: customers,
        products: catalog,
        copies: copiesOfKey,
      };
      return { lanes: only(plan), span: timed };
    }
    case 'last-item': {
      const plan = {
        ...traffic,
        connections,
        accounts: customers,
        products: contests,
        choice: 'contest',
      } as const;
      const requests = timing.contests * customers.count;
      return {
        lanes: only(plan, ['OUT_OF_STOCK']),
        span: { kind: 'counted', warmupRequests: customers.count, requests },
      };
    }
  }
}
