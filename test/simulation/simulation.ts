/**
 * A node under simulated clock, journal, disk and suppliers, beside the naive shop.
 *
 * Whatever reaches the engine is done by the naive shop, too, and answers are compared (`CommandJudge`). A crash takes
 * everything but what is on disk; the shop forgets with it what was not durable. The answers to buyers are kept apart
 * from both (`SimulatedBuyers`), and asked for again after every crash.
 */
import { strict as assert } from 'node:assert';
import { mock } from 'node:test';
import type { Command, PlaceOrder } from '../../src/engine/decide/command.ts';
import type { State } from '../../src/engine/state.ts';
import type { SupplierPurchase } from '../../src/engine/supplying/supplier-purchases.ts';
import type { SecretCipher } from '../../src/persistence/keys/secret-cipher.ts';
import { canonicalTables } from '../../src/persistence/state-tables.ts';
import type { NaiveShop } from '../engine/naive-shop.ts';
import { CommandJudge } from './command-judge.ts';
import { Inspection } from './inspection.ts';
import { ModelLog } from './model-log.ts';
import { SimulatedBuyers } from './simulated-buyers.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import { POLL_MS, SimulatedNode } from './simulated-node.ts';
import { SimulatedReports } from './simulated-reports.ts';
import { SimulatedSupplier } from './simulated-supplier.ts';
import { START_MS, START_STOCK, startFacts, startShop, TYPES } from './start.ts';
import { SupplierPurchaseAudit } from './supplier-purchase-audit.ts';

/** Longer than the longest wait between two questions, and than it takes to know nothing for good. */
const PATIENCE_MS = 60 * 60_000;

export interface Crash {
  /** Whether the group on its way to the journal is on disk. */
  readonly isGroupWritten: boolean;
  /** How many of the texts on their way are. */
  readonly textsWritten: number;
  /** Whether the node crashes once more while it releases what was on hold. */
  readonly comesAgain: boolean;
}

const QUIET_CRASH: Crash = { isGroupWritten: false, textsWritten: 0, comesAgain: false };

export class Simulation {
  nowMs = START_MS;
  node: SimulatedNode;
  readonly disk: SimulatedDisk;
  readonly supplier: SimulatedSupplier;
  readonly #secrets: SecretCipher;
  readonly #log = new ModelLog(startShop);
  readonly #audit = new SupplierPurchaseAudit(() => this.nowMs);
  readonly judge: CommandJudge;
  readonly #buyers: SimulatedBuyers;
  readonly reports: SimulatedReports;
  /** Errors where nobody could be told at once. */
  readonly #faults: unknown[] = [];
  #roomAgain: (() => void) | undefined;

  private constructor(secrets: SecretCipher) {
    const clock = () => this.nowMs;
    this.#secrets = secrets;
    this.disk = new SimulatedDisk(startFacts(secrets));
    const { log: disk, texts } = this.disk;
    for (const [index, type] of TYPES.entries()) {
      const own = Array.from({ length: START_STOCK }, (_, item) => `own ${index + 1} ${item}`);
      if (type === 'standard') texts.writeItems(index + 1, 0, own);
    }
    const onFault = this.#onFault;
    const keptBack = () => this.node.circuits.keptBack();
    this.judge = new CommandJudge({ log: this.#log, audit: this.#audit, disk, keptBack, clock, onFault });
    this.#buyers = new SimulatedBuyers({
      audit: this.#audit,
      judge: this.judge,
      textsOf: (order) => this.inspection.textsOf(order),
      onFault,
    });
    this.reports = new SimulatedReports({ node: () => this.node, audit: this.#audit, clock, onFault });
    const isHeld = ({ supplierPurchaseId, reference }: SupplierPurchase) => {
      const supplierPurchase = this.disk.recover().supplierPurchases.get(supplierPurchaseId);
      return supplierPurchase?.reference === reference && supplierPurchase.phase === 'held';
    };
    this.supplier = new SimulatedSupplier({ clock, isDurable: isHeld });
    this.node = this.#boot(this.disk.recover());
  }

  static async start(secrets: SecretCipher): Promise<Simulation> {
    const simulation = new Simulation(secrets);
    simulation.node.follower.start();
    await simulation.settle();
    return simulation;
  }

  get shop(): NaiveShop {
    return this.#log.shop;
  }

  get inspection(): Inspection {
    return new Inspection(this.node.engine.state, this.disk.history, this.disk.texts, this.shop);
  }

  /** How often another source was asked. */
  get passedOn(): number {
    return this.#audit.passedOn;
  }

  /** Until nothing moves but what waits for the journal, the disk, a supplier or the clock. */
  async settle(): Promise<void> {
    do {
      this.node.engine.runTurns();
      await new Promise(setImmediate);
    } while (this.node.engine.isMoving);
    const [fault] = this.#faults;
    if (fault !== undefined) throw fault;
  }

  buy(command: PlaceOrder): void {
    this.#buyers.buy(this.node, command);
  }

  /** Pays an order from the bot. */
  pay(orderId: number): void {
    this.#buyers.pay(this.node, orderId);
  }

  /** Submits an operator's command that needs no answer. */
  operate(command: Command): void {
    this.judge.isByOperator = true;
    this.node.engine.submit(command, () => undefined);
    this.judge.isByOperator = false;
  }

  /** An operator ends the wait for one of the purchases that are unresolved. */
  giveUp(nth: number): void {
    const open = [...this.node.engine.state.supplierPurchases.values()].filter(
      ({ phase }) => phase === 'unresolved',
    );
    const supplierPurchase = open[nth % open.length];
    if (supplierPurchase === undefined) return;
    this.judge.givenUp.add(supplierPurchase.supplierPurchaseId);
    void this.node.endings.giveUp(supplierPurchase);
  }

  /** An operator delivers by hand. */
  complete(orderId: number, texts: readonly string[]): void {
    void this.node.fulfilment.complete(orderId, texts);
  }

  upload(productId: number, texts: readonly string[]): void {
    void this.node.upload(productId, texts);
  }

  /** Reads the state, and asserts that it is shown only when it can't be taken back. */
  look(): void {
    const { position } = this.node.engine.state;
    this.node.engine.whenDurable((isDurable) => {
      const isOnDisk = this.disk.log.head.position >= position;
      if (isDurable && !isOnDisk) this.#faults.push(new Error('somebody saw what was not durable'));
    });
  }

  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= POLL_MS) {
      const stepMs = Math.min(left, POLL_MS);
      this.nowMs += stepMs;
      this.supplier.timeOut();
      mock.timers.tick(stepMs);
      await this.settle();
    }
  }

  /** Folds everything before the last cut into the checkpoint. */
  fold(): void {
    const position = this.node.takeFoldable();
    if (position === undefined) return;
    this.disk.fold(position);
    this.node.engine.forget();
  }

  /** The group on its way finds no room, and nothing is taken until there is. */
  fill(): void {
    if (!this.disk.log.isCommitting) return;
    this.judge.refusedGroups += 1;
    this.disk.log.refuse();
  }

  makeRoom(): void {
    this.#roomAgain?.();
    this.#roomAgain = undefined;
  }

  /** Until everything that was on its way to the journal is there. */
  async land(): Promise<void> {
    while (this.disk.log.isCommitting) {
      this.disk.log.land();
      await this.settle();
    }
  }

  async crash({ isGroupWritten, textsWritten, comesAgain }: Crash): Promise<void> {
    this.node.kill();
    this.disk.log.crash(isGroupWritten);
    this.node.stock.crash(textsWritten);
    this.supplier.crash();
    this.#audit.crash();
    this.#roomAgain = undefined;
    this.#log.rollBack(this.disk.log.head.position);
    const state = this.disk.recover();
    const held = [...state.supplierPurchases.values()].filter(({ phase }) => phase === 'held');
    this.node = this.#boot(state);
    const releasing = this.node.releaseInterrupted();
    await this.settle();
    if (comesAgain) {
      this.disk.log.land();
      await this.settle();
      return this.crash({ ...QUIET_CRASH, isGroupWritten });
    }
    await this.land();
    await releasing;
    this.inspection.noHolds();
    this.inspection.orders();
    this.node.follower.start();
    await this.settle();
    const land = async () => {
      await this.settle();
      await this.land();
    };
    await this.#buyers.findInterrupted(this.node, held, land);
    await this.#buyers.askAgain(this.node, land);
  }

  /** Lets everything come to its end, and looks at what is left. */
  async finish(): Promise<void> {
    this.makeRoom();
    const { supplierPurchases } = this.node.engine.state;
    for (let waitedMs = 0; supplierPurchases.size > 0 || this.#isBusy; waitedMs += POLL_MS) {
      assert.ok(waitedMs < PATIENCE_MS, `still open: ${JSON.stringify([...supplierPurchases.values()])}`);
      await this.#answerAll();
      if (!this.#isBusy) await this.advance(POLL_MS);
    }
    await this.reports.repeat(this.supplier.purchases, async () => {
      await this.land();
      this.node.stock.land();
      await this.settle();
    });
    const { inspection } = this;
    inspection.afterStep();
    inspection.orders();
    inspection.noHolds();
    inspection.books();
    inspection.items(this.supplier.purchases);
    const before = this.#tables();
    await this.crash(QUIET_CRASH);
    assert.deepEqual(this.#tables(), before);
  }

  stop(): void {
    this.node.kill();
  }

  readonly #onFault = (error: unknown): void => {
    this.#faults.push(error);
  };

  get #isBusy(): boolean {
    const { openCalls, openPolls } = this.supplier;
    // A group may wait for more before it is on its way.
    const isDurable = this.disk.log.head.position === this.node.engine.state.position;
    return !isDurable || this.node.stock.isWriting || openCalls > 0 || openPolls > 0;
  }

  async #answerAll(): Promise<void> {
    await this.land();
    this.node.stock.land();
    this.supplier.answerAll();
    await this.settle();
  }

  #tables(): string[] {
    return canonicalTables(this.node.engine.state);
  }

  #boot(state: State): SimulatedNode {
    const onFault = this.#onFault;
    const { log, journal, history, texts } = this.disk;
    const rebuild = () => {
      this.#log.rollBack(log.head.position);
      return this.disk.recover();
    };
    const roomAgain = () =>
      new Promise<void>((resolve) => {
        this.#roomAgain = resolve;
      });
    const clock = () => this.nowMs;
    return new SimulatedNode({
      engine: { state, history, journal, clock, rebuild, roomAgain, onFatal: onFault, onFault },
      watch: this.judge,
      texts,
      supplier: this.supplier,
      secrets: this.#secrets,
      audit: this.#audit,
    });
  }
}
