/**
 * Buyers who buy five products at once, and whose clients retry early: each of the five requests, with a key of its
 * own, is sent twice at the same moment, over connections of their own.
 *
 * Ten requests of one wallet are under way together, and five orders must come of them: the audit sees that both
 * answers to a key are the same order, and that nothing else was bought.
 */
import { type LanePlan, squadSize } from '../load/plan.ts';
import type { WindowShape } from '../scenarios.ts';
import type { Stage } from '../stage.ts';
import { catalog } from '../world.ts';
import { laneFigures, only, type ScenarioFigures, usageOf } from './figures.ts';

export interface BasketOptions {
  /** Rounded down to whole tens, at least one. */
  readonly connections: number;
  readonly warmupMs: number;
  readonly measureMs: number;
  /** More purchases a second than there will be: so much is stocked up. */
  readonly mostPerSecond: number;
}

const products = 5;
const copies = 2;

export async function measureBasket(stage: Stage, options: BasketOptions): Promise<ScenarioFigures> {
  const { warmupMs, measureMs, mostPerSecond } = options;
  const buyer: LanePlan = {
    name: 'buyers',
    connections: products * copies,
    accounts: stage.world.customers,
    products: catalog,
    choice: 'random',
    copies,
    basket: products,
  };
  const connections = Math.max(1, Math.floor(options.connections / squadSize(buyer))) * squadSize(buyer);
  const shape: WindowShape = {
    lanes: [{ plan: { ...buyer, connections }, refusals: [] }],
    span: { kind: 'timed', warmupMs, measureMs },
  };
  await stage.stockUp(catalog, (mostPerSecond * (warmupMs + measureMs)) / 1000);
  const { window } = await stage.run('basket', shape);
  return {
    ...laneFigures(only(window.lanes), copies),
    ...usageOf(window),
    connections,
  };
}
