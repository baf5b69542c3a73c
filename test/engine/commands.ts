/** Short ways to say what engine tests say often. */

import assert from 'node:assert/strict';
import { apply } from '../../src/engine/apply/apply.ts';
import { brokenInvariants } from '../../src/engine/apply/invariants.ts';
import type { Command, PlaceOrder } from '../../src/engine/decide/command.ts';
import { answer, decide } from '../../src/engine/decide/decide.ts';
import { noHistory } from '../../src/engine/decide/history.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import type { Fact } from '../../src/engine/fact.ts';
import type { ProductProfile } from '../../src/engine/products.ts';
import { State } from '../../src/engine/state.ts';

export const NOW_MS = 1_700_000_000_000;

export const PRODUCT: ProductProfile = {
  name: 'Code',
  description: '',
  instructions: '',
  type: 'standard',
  priceMicros: 2_000_000,
  priceTiers: [],
  requiresRecipient: false,
  allowDuplicates: false,
  active: true,
};

export interface World {
  readonly accounts: number;
  readonly products: number;
  readonly balanceMicros: number;
  readonly stock: number;
}

/** The facts that make a world of equal accounts and products. */
export function worldFacts({ accounts, products, balanceMicros, stock }: World): Fact[] {
  const facts: Fact[] = [];
  for (let accountId = 1; accountId <= accounts; accountId += 1) {
    const profile = { name: `Account ${accountId}`, rateLimitPerMinute: null, webhookConcurrency: 1 };
    facts.push({ kind: 'AccountCreated', accountId, profile, atMs: NOW_MS });
    if (balanceMicros === 0) continue;
    const credit = {
      accountId,
      reference: 'start',
      amountMicros: balanceMicros,
      balanceAfterMicros: balanceMicros,
    };
    facts.push({ kind: 'WalletCredited', credit, atMs: NOW_MS });
  }
  for (let productId = 1; productId <= products; productId += 1) {
    facts.push({ kind: 'ProductCreated', productId, profile: PRODUCT, atMs: NOW_MS });
    if (stock === 0) continue;
    const lot = { lotId: productId };
    facts.push({ kind: 'StockAdded', productId, firstItem: 0, count: stock, lot, atMs: NOW_MS });
  }
  return facts;
}

export function worldState(world: World): State {
  const state = new State();
  for (const fact of worldFacts(world)) apply(state, fact);
  return state;
}

export function placeOrder(fields: Partial<PlaceOrder> = {}): PlaceOrder {
  return {
    kind: 'PlaceOrder',
    accountId: 1,
    idempotencyKey: 'key',
    productId: 1,
    quantity: 1,
    expectedPriceUsdt: 2,
    recipientUsername: null,
    requestNumber: 0,
    ...fields,
  };
}

/** The answer to a command in its turn. All that must hold of every state holds after it. */
export function execute(state: State, command: Command, nowMs = NOW_MS): unknown {
  const decision = decide(state, noHistory, command, nowMs);
  if ('atMs' in decision) apply(state, decision);
  assert.deepEqual(brokenInvariants(state), []);
  return answer(state, decision);
}

/** A refusal's code, or `done`. */
export function codeOf(result: unknown): string {
  return result instanceof Rejection ? result.code : 'done';
}
