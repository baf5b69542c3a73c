/**
 * The single writer: command ─▶ turn (decide, apply) ─▶ group commit ─▶ answers. Its methods stand in the order of
 * that way; only turns and the journal's end of a group are asynchronous.
 *
 * Invariant: between reading the state and changing it nothing else runs; no answer leaves before every fact that it
 * could rest on is durable (`group-commit.ts`), which includes reads, repeated refusals and replays.
 *
 * Callbacks instead of promises: a group's answers leave in one loop. When the journal
 * is full, memory is ahead of the disk, so everything unanswered fails, the state is rebuilt by recovery, and
 * commands are refused until there is room. Any other failure of the journal is fatal.
 */
import { apply } from '../apply/apply.ts';
import type { Command, Results } from '../decide/command.ts';
import { answer, decide } from '../decide/decide.ts';
import { type Decision, isFact } from '../decide/decision.ts';
import { UnreadableHistoryError } from '../decide/history.ts';
import type { KeyedCommand } from '../decide/keyed-calls.ts';
import { CANNOT_STORE, Rejection } from '../decide/rejection.ts';
import type { Fact } from '../fact.ts';
import { MAX_FACTS_PER_GROUP, MAX_RECENT_OUTCOMES } from '../limits.ts';
import type { Origin } from '../origin.ts';
import type { State } from '../state.ts';
import { Cut } from './cut.ts';
import type { EngineOptions } from './engine-options.ts';
import { type Group, type ReplyTo, reply } from './group.ts';
import { GroupCommit } from './group-commit.ts';
import { JournalFullError } from './journal.ts';
import { type Once, onceTo } from './once.ts';
import { type Scheduled, Scheduler } from './scheduler.ts';

const CATCHING_UP = 'The server is catching up; retry after a second with the same key.';

/** The mailbox of commands for accounts and products that don't exist: clients may name any number. */
const NOBODY = 0;

interface Work extends Scheduled {
  readonly command: Command;
  readonly replyTo: ReplyTo<unknown>;
  readonly origin: Origin | undefined;
}

export class Engine {
  readonly #options: EngineOptions;
  readonly #scheduler = new Scheduler<Work>();
  readonly #maxRecentOutcomes: number;
  #state: State;
  readonly #commit: GroupCommit;
  #isTurnDue = false;
  #isFull = false;
  readonly #cut = new Cut();
  #sentWaiters: ((state: State) => void)[] = [];
  #idleWaiters: (() => void)[] = [];

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#maxRecentOutcomes = options.maxRecentOutcomes ?? MAX_RECENT_OUTCOMES;
    this.#state = options.state;
    this.#commit = new GroupCommit(options, {
      landed: (group) => this.#orStop(() => this.#landed(group)),
      failed: (error) => this.#orStop(() => this.#failed(error)),
      gathered: () => this.#orStop(() => this.#flush()),
    });
  }

  /**
   * For reading only, and to be told through `whenDurable`. Another object after a rebuild. Its rows change with
   * every command: what a command led to is in its answer.
   */
  get state(): State {
    return this.#state;
  }

  get durablePosition(): number {
    return this.#commit.durablePosition;
  }

  get counters(): Readonly<{ groups: number; facts: number; full: number }> {
    return this.#commit.counters;
  }

  get waitingCommands(): number {
    return this.#scheduler.size;
  }

  /** False while the disk is full, or the checkpoint so far behind that commands must wait for it. */
  get acceptsCommands(): boolean {
    return !this.#isFull && !this.#isBehind;
  }

  /** The journal had no room for the last group, and commands are refused. */
  get isFull(): boolean {
    return this.#isFull;
  }

  get #isBehind(): boolean {
    return this.#state.recentOutcomes >= this.#maxRecentOutcomes;
  }

  /** Answers once: with the command's result when it is durable, or with a rejection. `origin` goes into its fact. */
  submit<C extends Command>(command: C, replyTo: ReplyTo<Results[C['kind']]>, origin?: Origin): void {
    if (this.#isFull) return this.#answerUnstored(command, replyTo as ReplyTo<unknown>, origin);
    const { accounts, products } = this.#state;
    // Not asked by `in`, which takes longer where objects have many forms.
    const asked: Partial<Scheduled> & { readonly kind: string } = command;
    const work: Work = {
      command,
      accountId: accounts.get(asked.accountId ?? NOBODY)?.accountId ?? NOBODY,
      productId: products.get(asked.productId ?? NOBODY)?.productId ?? NOBODY,
      replyTo: replyTo as ReplyTo<unknown>,
      origin,
    };
    if (this.#scheduler.put(work)) this.#scheduleTurn();
    else replyTo(new Rejection('RATE_LIMITED'));
  }

  /** A command whose `origin` may have the key of a call: then it is carried out once (`keyed-calls.ts`). */
  submitOnce<C extends KeyedCommand>(
    command: C,
    replyTo: ReplyTo<Once<Results[C['kind']]>>,
    origin: Origin,
  ): void {
    this.submit(command as Command, onceTo(replyTo), origin);
  }

  #scheduleTurn(): void {
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    this.#options.defer(() => {
      this.#isTurnDue = false;
      this.#orStop(() => this.#turn());
    });
  }

  /** Facts are found by their time: when the clock is set back, it stands still for them until it has caught up. */
  get #nowMs(): number {
    return Math.max(this.#options.clock(), this.#state.lastAtMs);
  }

  #turn(): void {
    const nowMs = this.#nowMs;
    while (this.#commit.gathering < MAX_FACTS_PER_GROUP && this.acceptsCommands) {
      const work = this.#scheduler.take();
      if (work === undefined) break;
      this.#execute(work, nowMs);
    }
    this.#flush();
  }

  #execute({ command, replyTo, origin }: Work, nowMs: number): void {
    let decision = this.#decide(command, nowMs, origin);
    if (isFact(decision)) {
      if (origin !== undefined) decision = { ...decision, origin };
      apply(this.#state, decision);
      this.#commit.add(decision);
    }
    this.#commit.answer(replyTo, answer(this.#state, decision));
  }

  /** Answers while nothing can be stored: what a command led to earlier can be said, and needs no fact. */
  #answerUnstored(command: Command, replyTo: ReplyTo<unknown>, origin: Origin | undefined): void {
    this.#orStop(() => {
      const decision = this.#decide(command, this.#nowMs, origin);
      const isKnown = decision instanceof Rejection ? decision.replayed : !isFact(decision);
      reply(replyTo, isKnown ? answer(this.#state, decision) : CANNOT_STORE, this.#options.onFault);
    });
  }

  /** Nothing has changed while it decides, so what it can't read is this command's trouble and no other's. */
  #decide(command: Command, nowMs: number, origin: Origin | undefined): Decision {
    try {
      return decide(this.#state, this.#options.history, command, nowMs, origin, this.#options.keptBack);
    } catch (error) {
      if (!(error instanceof UnreadableHistoryError)) throw error;
      this.#options.onFault(error);
      return new Rejection('INTERNAL_ERROR');
    }
  }

  /** Sends the open group to the journal, unless one is on its way or this one waits for more. */
  #flush(): void {
    if (!this.#commit.send(this.#state.position, this.#scheduler.size)) return;
    this.#makeCut();
    this.#tellSent();
    this.#tellIdle();
  }

  /** The group is durable: its answers leave, after the next group is on its way. */
  #landed(group: Group): void {
    this.#commit.landed(group, this.#scheduler.size);
    this.#cut.tell(this.durablePosition);
    this.#flush();
    group.answerAll(this.#options.onFault);
    if (this.#scheduler.size > 0) this.#scheduleTurn();
  }

  #failed(error: unknown): void {
    if (!(error instanceof JournalFullError)) return this.#options.onFatal(error);
    const unanswered = this.#commit.giveUp();
    this.#isFull = true;
    try {
      this.#state = this.#options.rebuild();
    } catch (rebuildError) {
      return this.#options.onFatal(rebuildError);
    }
    this.#commit.goOnFrom(this.#state.position);
    this.#cut.undo();
    for (const group of unanswered) group.answerAll(this.#options.onFault, CANNOT_STORE);
    this.refuseWaiting(CANNOT_STORE);
    this.#flush();
    this.#options.roomAgain().then(() => {
      this.#isFull = false;
    }, this.#options.onFatal);
  }

  /**
   * Takes facts that were decided elsewhere and are durable: a group, as the journal has it. Only while no command is
   * under way. The caller holds further groups back while `acceptsCommands` is false: the checkpoint is behind.
   */
  follow(facts: readonly Fact[]): void {
    if (!this.#commit.isIdle || this.#scheduler.size > 0)
      throw new Error('an engine with commands follows nobody');
    this.#orStop(() => {
      for (const fact of facts) apply(this.#state, fact);
      this.#commit.noteDurable(facts);
    });
  }

  /**
   * For what was read: calls back when everything applied so far is durable, with true, or false when it never will be.
   * Never for a command's answer: that waits for its own group and for no other.
   */
  whenDurable(callback: (durable: boolean) => void): void {
    this.#commit.answer((result) => callback(!(result instanceof Rejection)), true);
  }

  /**
   * Starts a new generation of recent rows, and calls back with the position up to which the one before
   * goes, once that is durable. The caller folds it into the checkpoint and then calls `forget`.
   */
  cut(whenDurable: (position: number) => void): void {
    this.#cut.begin(whenDurable);
    this.#makeCut();
  }

  /** Cuts where everything applied so far has been sent, so that no group is split. */
  #makeCut(): void {
    if (this.#commit.gathering > 0) return;
    this.#cut.make(this.#state);
    this.#cut.tell(this.durablePosition);
  }

  /** The generation before the last cut is in the checkpoint. */
  forget(): void {
    this.#state.dropOlder();
    this.#scheduleTurn();
  }

  /**
   * Calls back where everything applied so far has been sent, so that a frame of the journal ends with the state's last
   * fact: for who compares the two. `look` must change nothing.
   */
  whenSent(look: (state: State) => void): void {
    this.#sentWaiters.push(look);
    this.#tellSent();
  }

  #tellSent(): void {
    if (this.#sentWaiters.length === 0 || this.#commit.gathering > 0) return;
    for (const look of this.#sentWaiters.splice(0)) look(this.#state);
  }

  /** Refuses the commands that wait: the checkpoint is behind, and their turn won't come as long as it is. */
  refuseWaiting(rejection = new Rejection('RATE_LIMITED', CATCHING_UP)): void {
    for (let work = this.#scheduler.take(); work !== undefined; work = this.#scheduler.take()) {
      reply(work.replyTo, rejection, this.#options.onFault);
    }
    this.#tellIdle();
  }

  /** Resolves when no command waits and everything is durable. */
  async idle(): Promise<void> {
    while (this.#scheduler.size > 0 || !this.#commit.isIdle) {
      await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
    }
  }

  #tellIdle(): void {
    if (this.#idleWaiters.length === 0 || !this.#commit.isIdle) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  /** Any error in here leaves the state in doubt. */
  #orStop(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#options.onFatal(error);
    }
  }
}
