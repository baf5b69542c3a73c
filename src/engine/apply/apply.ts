/**
 * The effect of a fact on the state. Live traffic, recovery and the checkpoint all go through here.
 *
 * `apply` never refuses and never computes a decision: a fact that doesn't fit the state is a broken invariant, and the
 * process must stop rather than go on from a state that is wrong.
 */

import { keyedCallOf } from '../decide/keyed-calls.ts';
import { depositEffects } from '../deposits/apply-deposit.ts';
import type { Fact } from '../fact.ts';
import { epochEffects } from '../recovery/apply-epoch.ts';
import { NO_REQUEST } from '../request-number.ts';
import type { State } from '../state.ts';
import { accountEffects } from './apply-account.ts';
import { operatorEffects } from './apply-operator.ts';
import { orderEffects } from './apply-order.ts';
import { priceEffects } from './apply-price.ts';
import { productEffects } from './apply-product.ts';
import { supplierEffects } from './apply-supplier-purchase.ts';
import { BrokenInvariantError } from './broken-invariant.ts';
import type { Effects } from './moves.ts';

const EFFECTS: Effects = {
  ...orderEffects,
  ...supplierEffects,
  ...accountEffects,
  ...productEffects,
  ...priceEffects,
  ...operatorEffects,
  ...epochEffects,
  ...depositEffects,
  // It changes what readers of the journal make of other facts, and nothing here.
  EventGroupClosed() {},
};

export function apply(state: State, fact: Fact): void {
  // A purchase doesn't go through the table: a look-up by a name that changes is slow.
  if (fact.kind === 'OrderPlaced') {
    orderEffects.OrderPlaced(state, fact);
    noteRequest(state, fact.order.requestNumber);
  } else {
    const effect = EFFECTS[fact.kind] as ((state: State, fact: Fact) => void) | undefined;
    if (effect === undefined)
      throw new BrokenInvariantError(`there is no such fact: ${JSON.stringify(fact)}`);
    effect(state, fact);
    noteRequest(state, requestNumberIn(fact));
    const call = keyedCallOf(state, fact);
    if (call !== undefined) state.idempotency.addCall(call);
  }
  if (state.spending.size > 0) state.spending.take(fact);
  state.position += 1;
  state.events.take(fact, state.position);
  state.lastAtMs = fact.atMs;
}

/** So that the next start gives no request the number of one that is in a fact. */
function noteRequest(state: State, requestNumber: number): void {
  if (requestNumber > state.lastRequestNumber) state.lastRequestNumber = requestNumber;
}

function requestNumberIn(fact: Fact): number {
  if (fact.kind === 'PurchaseRefused') return fact.refusal.requestNumber;
  if (fact.kind === 'HoldPlaced') return fact.supplierPurchase.requestNumber;
  return fact.origin?.requestNumber ?? NO_REQUEST;
}
