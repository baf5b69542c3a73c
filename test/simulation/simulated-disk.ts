/** The disk, which outlives a crash: the journal's frames, the checkpoint as far as it goes, and the texts. */
import { strict as assert } from 'node:assert';
import { apply } from '../../src/engine/apply/apply.ts';
import { brokenInvariants } from '../../src/engine/apply/invariants.ts';
import { type History, noHistory } from '../../src/engine/decide/history.ts';
import type { Fact } from '../../src/engine/fact.ts';
import type { Journal } from '../../src/engine/loop/journal.ts';
import type { Lot } from '../../src/engine/lots.ts';
import type { Order } from '../../src/engine/orders.ts';
import { State } from '../../src/engine/state.ts';
import { JournalWriter } from '../../src/persistence/journal/journal-writer.ts';
import { FactHistory } from '../engine/fact-history.ts';
import { SimulatedLog } from './simulated-log.ts';
import { TextDisk } from './simulated-stock.ts';

export class SimulatedDisk {
  readonly log = new SimulatedLog();
  readonly journal: Journal;
  readonly texts = new TextDisk();
  /** The history that the checkpoint has, however far it is by now. */
  readonly history: History = {
    lastOrderId: () => this.#checkpoint.lastOrderId(),
    spentSince: (...of) => this.#checkpoint.spentSince(...of),
    purchaseOutcome: (accountId, key) => this.#checkpoint.purchaseOutcome(accountId, key),
    creditOutcome: (accountId, reference) => this.#checkpoint.creditOutcome(accountId, reference),
    call: (operatorId, key) => this.#checkpoint.call(operatorId, key),
    order: (orderId): Order | undefined => this.#checkpoint.order(orderId),
    lot: (lotId): Lot | undefined => this.#checkpoint.lot(lotId),
    supplierPurchaseEnd: (id) => this.#checkpoint.supplierPurchaseEnd(id),
    lotsOf: (...of) => this.#checkpoint.lotsOf(...of),
  };
  #checkpoint: History = noHistory;
  #checkpointPosition = 0;

  constructor(facts: readonly Fact[]) {
    this.journal = new JournalWriter(this.log);
    void this.journal.append(1, facts);
    this.log.land();
  }

  /** The checkpoint goes up to there. */
  fold(position: number): void {
    this.#checkpoint = new FactHistory(this.log.facts().slice(0, position));
    this.#checkpointPosition = position;
  }

  /** As recovery does it: the tables of the checkpoint, then the tail, fact by fact, then the invariants. */
  recover(): State {
    const state = new State();
    for (const fact of this.log.facts()) {
      apply(state, fact);
      if (state.position !== this.#checkpointPosition) continue;
      state.cut();
      state.dropOlder();
    }
    assert.deepEqual(brokenInvariants(state), []);
    return state;
  }
}
