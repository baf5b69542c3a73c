/**
 * Hears every command that reaches the engine, lets the naive shop do the same when it is decided, and holds the
 * engine's answer against the shop's when it leaves. Commands about suppliers must rest on what those said.
 */
import { strict as assert } from 'node:assert';
import { type Command, PurchaseInProgress } from '../../src/engine/decide/command.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import type { Engine } from '../../src/engine/loop/engine.ts';
import type { State } from '../../src/engine/state.ts';
import type { SupplierPurchase } from '../../src/engine/supplying/supplier-purchases.ts';
import { inNaiveWords } from '../engine/model-command.ts';
import { plain } from '../engine/plain-answer.ts';
import type { ModelLog } from './model-log.ts';
import type { SimulatedLog } from './simulated-log.ts';
import type { SupplierPurchaseAudit } from './supplier-purchase-audit.ts';
import type { Judge, Watch } from './watched-engine.ts';

export interface CommandJudgeOptions {
  readonly log: ModelLog;
  readonly audit: SupplierPurchaseAudit;
  readonly disk: SimulatedLog;
  /** Suppliers whose circuits are open now. */
  readonly keptBack: () => ReadonlySet<number>;
  readonly clock: () => number;
  /** Told of what isn't as it should be: the code under test must not be disturbed. */
  readonly onFault: (error: unknown) => void;
}

const FULL = 'INTERNAL_ERROR';

export class CommandJudge implements Watch {
  /** Groups that found no room. */
  refusedGroups = 0;
  /** Purchases beyond a spend limit. */
  limited = 0;
  /** The command at hand is an operator's own, and needs no supplier. */
  isByOperator = false;
  /** The supplier purchases that an operator gave up: their end needs no supplier, and comes when their texts are gone. */
  readonly givenUp = new Set<number>();
  readonly #options: CommandJudgeOptions;

  constructor(options: CommandJudgeOptions) {
    this.#options = options;
  }

  before(command: Command, engine: Engine): Judge {
    const { log, audit, disk, keptBack, clock } = this.#options;
    if (!engine.acceptsCommands) {
      const { position } = engine.state;
      const answered = (result: unknown) => {
        if (result instanceof Rejection && result.code === FULL) return;
        this.#note(() => {
          const expected = log.foretold(inNaiveWords(command));
          const isDone = expected === 'DONE' && !(result instanceof Rejection);
          const said = isDone ? expected : plain(result, engine.state.stock);
          assert.deepEqual(said, expected, `repeated while full: ${JSON.stringify(command)}`);
          assert.equal(engine.state.position, position);
        });
      };
      return { decided: () => undefined, answered };
    }
    const supplierPurchase = supplierPurchaseOf(engine.state, command);
    if (supplierPurchase !== undefined && !this.isByOperator && !this.#isGivenUp(command)) {
      this.#note(() => audit.check(command, supplierPurchase, clock()));
    }
    const perform = inNaiveWords(command, keptBack());
    // As it is now: the shop goes on.
    const expected = structuredClone(perform(log.shop));
    if (expected === 'RATE_LIMITED') this.limited += 1;
    const { refusedGroups } = this;
    let position: number | undefined;
    return {
      decided: () => {
        position = engine.state.position;
        log.add(position, perform);
      },
      answered: (result) => {
        if (command.kind === 'ReleaseHold' && result instanceof PurchaseInProgress && supplierPurchase)
          audit.passed(supplierPurchase, result.supplierPurchase);
        if (this.refusedGroups !== refusedGroups && plain(result, engine.state.stock) === FULL) return;
        const said =
          expected === 'DONE' && !(result instanceof Rejection) ? 'DONE' : plain(result, engine.state.stock);
        const isDurable = disk.head.position >= (position ?? engine.state.position);
        this.#note(() => {
          assert.deepEqual(said, expected, JSON.stringify(command));
          assert.ok(isDurable, `the answer to ${command.kind} left before it was durable`);
        });
      },
    };
  }

  #isGivenUp(command: Command): boolean {
    if (command.kind !== 'ReconcileSupplierPurchase' || command.result !== 'given-up') return false;
    return this.givenUp.has(command.supplierPurchaseId);
  }

  #note(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#options.onFault(error);
    }
  }
}

/** The supplier purchase that a command is about, when it is one of those that follow suppliers. */
function supplierPurchaseOf(state: State, command: Command): SupplierPurchase | undefined {
  switch (command.kind) {
    case 'CaptureHold':
    case 'ReleaseHold':
    case 'ReconcileSupplierPurchase':
      return state.supplierPurchases.get(command.supplierPurchaseId);
    case 'CompleteOrder':
      return command.supplierPurchaseId === undefined
        ? undefined
        : state.supplierPurchases.ofOrder(command.orderId);
    case 'FailOrder':
      return state.supplierPurchases.ofOrder(command.orderId);
    default:
      return undefined;
  }
}
