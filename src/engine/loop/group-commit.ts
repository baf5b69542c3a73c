/**
 * Group commit: applied facts and the answers that rest on them ─▶ journal ─▶ answers.
 *
 * Invariant: at most one group is on its way to the journal, and the next one gathers meanwhile, a small one for a
 * moment longer (`gathering.ts`); groups are sent in the order of their facts, without a gap. An answer is added to the
 * youngest group that isn't durable, so it rests on nothing that its group does not make durable.
 */
import type { Fact } from '../fact.ts';
import type { EngineOptions } from './engine-options.ts';
import { Gathering } from './gathering.ts';
import { Group, type ReplyTo, reply } from './group.ts';

/** Called by the group's outcome, and when a group has waited long enough for more. */
export interface CommitListener {
  readonly landed: (group: Group) => void;
  readonly failed: (error: unknown) => void;
  readonly gathered: () => void;
}

export class GroupCommit {
  readonly #options: EngineOptions;
  readonly #listener: CommitListener;
  readonly #gathering: Gathering;
  /** The group that gathers; `#flying` is the one on its way to the journal. */
  #open = new Group();
  #flying: Group | undefined;
  #durablePosition: number;
  readonly #counters = { groups: 0, facts: 0, full: 0 };

  constructor(options: EngineOptions, listener: CommitListener) {
    this.#options = options;
    this.#listener = listener;
    this.#gathering = new Gathering(options.later);
    this.#durablePosition = options.state.position;
  }

  get durablePosition(): number {
    return this.#durablePosition;
  }

  get counters(): Readonly<{ groups: number; facts: number; full: number }> {
    return this.#counters;
  }

  /** Facts of the group that gathers. */
  get gathering(): number {
    return this.#open.facts.length;
  }

  /** Everything that was applied is durable. */
  get isIdle(): boolean {
    return this.#flying === undefined && this.#open.facts.length === 0;
  }

  /** A fact that has been applied. */
  add(fact: Fact): void {
    this.#open.facts.push(fact);
  }

  /** Answers when everything applied so far is durable: at once, or with the youngest group that isn't. */
  answer(replyTo: ReplyTo<unknown>, result: unknown): void {
    const group = this.#open.facts.length > 0 ? this.#open : this.#flying;
    if (group === undefined) reply(replyTo, result, this.#options.onFault);
    else group.addReply(replyTo, result);
  }

  /**
   * Sends the open group, whose last fact is at `position`, to the journal; `waiting` commands are sure to come. False
   * while one is on its way, or this one waits for more.
   */
  send(position: number, waiting: number): boolean {
    if (this.#flying !== undefined) return false;
    const group = this.#open;
    const facts = group.facts.length;
    if (facts === 0) return true;
    if (this.#gathering.holdsBack(group, facts + waiting, this.#listener.gathered)) return false;
    this.#flying = group;
    this.#open = new Group();
    this.#options.journal
      .append(position - facts + 1, group.facts)
      .then(() => this.#listener.landed(group), this.#listener.failed);
    return true;
  }

  /** The group on its way is durable. Its answers are the caller's to give. */
  landed({ facts }: Group, waiting: number): void {
    this.#flying = undefined;
    this.#gathering.landed(facts.length + this.#open.facts.length + waiting);
    this.noteDurable(facts);
  }

  /** These facts are durable, behind all that were before. */
  noteDurable(facts: readonly Fact[]): void {
    this.#durablePosition += facts.length;
    this.#counters.groups += 1;
    this.#counters.facts += facts.length;
    this.#options.onDurable?.(this.#durablePosition, facts);
  }

  /** The journal had no room. Gives both groups up, and returns them: their facts will never have been. */
  giveUp(): readonly Group[] {
    const groups = this.#flying === undefined ? [this.#open] : [this.#flying, this.#open];
    this.#counters.full += 1;
    this.#flying = undefined;
    this.#open = new Group();
    return groups;
  }

  /** The state was rebuilt as the disk has it, up to here. */
  goOnFrom(position: number): void {
    this.#durablePosition = position;
  }
}
