/** The contention scenarios: who buys what over how many connections, and which refusals are right. */

import type { IndexRange, LanePlan, Span } from '../load/plan.ts';
import type { AuditedLane } from '../shop/audit.ts';
import { catalog, hotProduct, type World } from '../shop/world.ts';

/** One window each, run for every system that sells. */
export const windowScenarios = [
  'uniform',
  'hot-product',
  'hot-wallet',
  'last-item',
  'same-key',
  'basket',
  'half-load',
  'open-loop',
] as const;
export type WindowScenario = (typeof windowScenarios)[number];
/** Scenes with a beginning and an end, run once a round for every system that sells. */
export const sceneScenarios = ['flash-sale', 'restock', 'crash'] as const;
export type SceneScenario = (typeof sceneScenarios)[number];
export const scenarioNames = [...windowScenarios, ...sceneScenarios, 'flood', 'history'] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** How many connections send each key of `same-key` at once. */
export const copiesOfKey = 20;

/** A buyer of `basket` buys so many products at once, and sends each request twice. */
const productsOfBasket = 5;
const copiesOfBasket = 2;
const connectionsOfBasket = copiesOfBasket * productsOfBasket;

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

/** How many answers a purchase has. */
export function copiesOf(scenario: WindowScenario): number {
  if (scenario === 'same-key') return copiesOfKey;
  return scenario === 'basket' ? copiesOfBasket : 1;
}

/** `contests` are the products made for `last-item`; the other scenarios ignore them. */
export function windowShape(
  task: {
    readonly scenario: WindowScenario;
    readonly connections: number;
    readonly timing: Timing;
    readonly perSecond?: number | undefined;
  },
  { customers, bigSpender }: World,
  contests: IndexRange,
): WindowShape {
  const { scenario, connections, timing, perSecond } = task;
  const timed: Span = { kind: 'timed', warmupMs: timing.warmupMs, measureMs: timing.measureMs };
  const only = (plan: LanePlan, refusals: readonly string[] = []) => [{ plan, refusals }];
  const everybody = { ...traffic, connections, accounts: customers };
  switch (scenario) {
    case 'uniform':
      return { lanes: only({ ...everybody, products: catalog }), span: timed };
    case 'hot-product':
      return { lanes: only({ ...everybody, products: hotProduct }), span: timed };
    case 'half-load':
    case 'open-loop':
      if (perSecond === undefined) throw new Error(`${scenario} needs a rate`);
      return { lanes: only({ ...everybody, products: hotProduct, perSecond }), span: timed };
    case 'hot-wallet':
      return {
        lanes: only({ ...everybody, accounts: bigSpender, products: catalog }),
        span: timed,
      };
    case 'same-key': {
      const whole = Math.max(1, Math.floor(connections / copiesOfKey)) * copiesOfKey;
      const plan = { ...everybody, connections: whole, products: catalog, copies: copiesOfKey };
      return { lanes: only(plan), span: timed };
    }
    case 'basket': {
      const whole = Math.max(1, Math.floor(connections / connectionsOfBasket)) * connectionsOfBasket;
      const plan = {
        ...everybody,
        connections: whole,
        products: catalog,
        copies: copiesOfBasket,
        basket: productsOfBasket,
      };
      return { lanes: only(plan), span: timed };
    }
    case 'last-item': {
      const plan = { ...everybody, products: contests, choice: 'contest' } as const;
      const requests = timing.contests * customers.count;
      return {
        lanes: only(plan, ['OUT_OF_STOCK']),
        span: { kind: 'counted', warmupRequests: customers.count, requests },
      };
    }
  }
}
