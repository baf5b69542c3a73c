/**
 * The single writer: command ─▶ turn (decide, apply) ─▶ group commit ─▶ answers. The only asynchronous file
 * of the engine; its methods stand in the order of that way.
 *
 * Invariant: between reading the state and changing it nothing else runs; at most one group is on its way to the
 * journal, and the next one gathers meanwhile, a small one for a moment longer (`gathering.ts`); no answer leaves
 * before every fact that it could rest on is durable, which includes reads, repeated refusals and replays.
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
import { type KeyedCommand, RepeatedCall } from '../decide/keyed-calls.ts';
import { DISK_IS_FULL, Rejection } from '../decide/rejection.ts';
import type { Fact } from '../fact.ts';
import { MAX_FACTS_PER_GROUP, MAX_RECENT_OUTCOMES } from '../limits.ts';
import type { CallKey, Origin } from '../origin.ts';
import type { State } from '../state.ts';
import type { EngineOptions } from './engine-options.ts';
import { Gathering } from './gathering.ts';
import { Group, type ReplyTo, reply } from './group.ts';
import { JournalFullError } from './journal.ts';
import { type Scheduled, Scheduler } from './scheduler.ts';

const CANNOT_STORE = new Rejection(
  'INTERNAL_ERROR',
  'The server cannot store anything right now; nothing was changed. Retry with backoff.',
  null,
  false,
  DISK_IS_FULL,
);
const CATCHING_UP = 'The server is catching up; retry after a second with the same key.';

/** The mailbox of commands for accounts and products that don't exist: clients may name any number. */
const NOBODY = 0;

interface Work extends Scheduled {
  readonly command: Command;
  readonly replyTo: ReplyTo<unknown>;
  readonly origin: Origin | undefined;
}

/** The result of a call that may be repeated. */
export interface Once<Result> {
  readonly result: Result;
  readonly isRepeated: boolean;
  /** The first answer's additional fields, when the call is repeated. */
  readonly said: CallKey['said'];
}

export class Engine {
  readonly #options: EngineOptions;
  readonly #scheduler = new Scheduler<Work>();
  readonly #gathering: Gathering;
  readonly #maxRecentOutcomes: number;
  #state: State;
  /** The group that gathers; `#flying` is the one on its way to the journal. */
  #open = new Group();
  #flying: Group | undefined;
  readonly #flushInTime = () => this.#orStop(() => this.#flush());
  #durablePosition: number;
  #isTurnDue = false;
  #isFull = false;
  #cut: { position: number; whenDurable: (position: number) => void } | undefined;
  #sentWaiters: ((state: State) => void)[] = [];
  #idleWaiters: (() => void)[] = [];
  readonly #counters = { groups: 0, facts: 0, full: 0 };

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#gathering = new Gathering(options.later);
    this.#maxRecentOutcomes = options.maxRecentOutcomes ?? MAX_RECENT_OUTCOMES;
    this.#state = options.state;
    this.#durablePosition = options.state.position;
  }

  /**
   * For reading only, and to be told through `whenDurable`. Another object after a rebuild. Its rows change with
   * every command: what a command led to is in its answer.
   */
  get state(): State {
    return this.#state;
  }

  get durablePosition(): number {
    return this.#durablePosition;
  }

  get counters(): Readonly<{ groups: number; facts: number; full: number }> {
    return this.#counters;
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
    const reply: ReplyTo<unknown> = (answered) => {
      if (answered instanceof Rejection) return replyTo(answered);
      const { result, said } =
        answered instanceof RepeatedCall ? answered : { result: answered, said: undefined };
      replyTo({ result: result as Results[C['kind']], isRepeated: answered instanceof RepeatedCall, said });
    };
    this.submit(command as Command, reply, origin);
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
    while (this.#open.facts.length < MAX_FACTS_PER_GROUP && this.acceptsCommands) {
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
      this.#open.facts.push(decision);
    }
    this.#answerWhenDurable(replyTo, answer(this.#state, decision));
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
      return decide(this.#state, this.#options.history, command, nowMs, origin);
    } catch (error) {
      if (!(error instanceof UnreadableHistoryError)) throw error;
      this.#options.onFault(error);
      return new Rejection('INTERNAL_ERROR');
    }
  }

  /** Answers when everything applied so far is durable: at once, or with the youngest group that isn't. */
  #answerWhenDurable(replyTo: ReplyTo<unknown>, result: unknown): void {
    const group = this.#open.facts.length > 0 ? this.#open : this.#flying;
    if (group === undefined) reply(replyTo, result, this.#options.onFault);
    else group.addReply(replyTo, result);
  }

  /** Sends the open group to the journal, unless one is on its way or this one waits for more. */
  #flush(): void {
    if (this.#flying !== undefined) return;
    const group = this.#open;
    const facts = group.facts.length;
    if (facts > 0) {
      if (this.#gathering.holdsBack(group, facts + this.#scheduler.size, this.#flushInTime)) return;
      this.#flying = group;
      this.#open = new Group();
      this.#options.journal.append(this.#state.position - facts + 1, group.facts).then(
        () => this.#orStop(() => this.#landed(group)),
        (error: unknown) => this.#orStop(() => this.#failed(error)),
      );
    }
    this.#startCut();
    this.#tellSent();
    this.#tellIdle();
  }

  /** The group is durable: its answers leave, after the next group is on its way. */
  #landed(group: Group): void {
    const facts = group.facts.length;
    this.#flying = undefined;
    this.#gathering.landed(facts + this.#open.facts.length + this.#scheduler.size);
    this.#durablePosition += facts;
    this.#counters.groups += 1;
    this.#counters.facts += facts;
    this.#options.onDurable?.(this.#durablePosition, group.facts);
    this.#finishCut();
    this.#flush();
    group.answerAll(this.#options.onFault);
    if (this.#scheduler.size > 0) this.#scheduleTurn();
  }

  #failed(error: unknown): void {
    if (!(error instanceof JournalFullError)) return this.#options.onFatal(error);
    const unanswered = [this.#flying, this.#open];
    this.#isFull = true;
    this.#counters.full += 1;
    this.#flying = undefined;
    this.#open = new Group();
    try {
      this.#state = this.#options.rebuild();
    } catch (rebuildError) {
      return this.#options.onFatal(rebuildError);
    }
    this.#durablePosition = this.#state.position;
    if (this.#cut !== undefined) this.#cut.position = -1;
    for (const group of unanswered) group?.answerAll(this.#options.onFault, CANNOT_STORE);
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
    if (!this.#isDurable || this.#scheduler.size > 0)
      throw new Error('an engine with commands follows nobody');
    this.#orStop(() => {
      for (const fact of facts) apply(this.#state, fact);
      this.#durablePosition += facts.length;
      this.#counters.groups += 1;
      this.#counters.facts += facts.length;
      this.#options.onDurable?.(this.#durablePosition, facts);
    });
  }

  /**
   * For what was read: calls back when everything applied so far is durable, with true, or false when it never will be.
   * Never for a command's answer: that waits for its own group and for no other.
   */
  whenDurable(callback: (durable: boolean) => void): void {
    this.#answerWhenDurable((result) => callback(!(result instanceof Rejection)), true);
  }

  /**
   * Starts a new generation of recent rows, and calls back with the position up to which the one before
   * goes, once that is durable. The caller folds it into the checkpoint and then calls `forget`.
   */
  cut(whenDurable: (position: number) => void): void {
    if (this.#cut !== undefined) throw new Error('a cut is under way');
    this.#cut = { position: -1, whenDurable };
    this.#startCut();
  }

  /** Cuts where everything applied so far has been sent, so that no group is split. */
  #startCut(): void {
    if (this.#cut === undefined || this.#cut.position >= 0 || this.#open.facts.length > 0) return;
    this.#state.cut();
    this.#cut.position = this.#state.position;
    this.#finishCut();
  }

  #finishCut(): void {
    if (this.#cut === undefined || this.#cut.position < 0) return;
    const { position, whenDurable } = this.#cut;
    if (position > this.#durablePosition) return;
    this.#cut = undefined;
    whenDurable(position);
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
    if (this.#sentWaiters.length === 0 || this.#open.facts.length > 0) return;
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
    while (this.#scheduler.size > 0 || !this.#isDurable) {
      await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
    }
  }

  get #isDurable(): boolean {
    return this.#flying === undefined && this.#open.facts.length === 0;
  }

  #tellIdle(): void {
    if (this.#idleWaiters.length === 0 || !this.#isDurable) return;
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
