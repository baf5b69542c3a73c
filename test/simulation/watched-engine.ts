/**
 * The engine, whose every command gets its turn at once, so that the order of decisions is known to whoever watches;
 * commits last as long as the journal likes. After `die` it is as a process that was killed: nobody hears of it.
 */
import { strict as assert } from 'node:assert';
import type { Command, Results } from '../../src/engine/decide/command.ts';
import type { Rejection } from '../../src/engine/decide/rejection.ts';
import { Engine } from '../../src/engine/loop/engine.ts';
import type { EngineOptions } from '../../src/engine/loop/engine-options.ts';
import type { ReplyTo } from '../../src/engine/loop/group.ts';

/** Told of a command before it is decided, and after, and of its answer when that leaves. */
export interface Watch {
  before(command: Command, engine: Engine): Judge;
}

export interface Judge {
  decided(): void;
  answered(result: unknown): void;
}

export class WatchedEngine extends Engine {
  readonly #watch: Watch;
  readonly #turns: (() => void)[];
  #isInTurn = false;
  #gathering = 0;
  isDead = false;

  constructor(options: Omit<EngineOptions, 'defer'>, watch: Watch) {
    const turns: (() => void)[] = [];
    const later = (run: () => void) => {
      this.#gathering += 1;
      setImmediate(() => {
        this.#gathering -= 1;
        if (!this.isDead) run();
      });
    };
    super({ ...options, defer: (run) => void turns.push(run), later });
    this.#turns = turns;
    this.#watch = watch;
  }

  override submit<C extends Command>(command: C, replyTo: ReplyTo<Results[C['kind']]>): void {
    if (this.isDead) return;
    assert.ok(!this.#isInTurn, 'a command from inside a turn');
    const judge = this.#watch.before(command, this);
    super.submit(command, (result: Results[C['kind']] | Rejection) => {
      if (this.isDead) return;
      judge.answered(result);
      replyTo(result);
    });
    this.runTurns();
    judge.decided();
  }

  /** Whether it goes on by itself: a turn was asked for, or a group waits a moment for more. */
  get isMoving(): boolean {
    return this.#turns.length > 0 || this.#gathering > 0;
  }

  runTurns(): void {
    this.#isInTurn = true;
    for (let turn = this.#turns.shift(); turn !== undefined; turn = this.#turns.shift()) turn();
    this.#isInTurn = false;
  }
}
