/**
 * A folder in memory, in which contenders take their steps in every order there is, and may die before each of them.
 * The contenders are the real `contend`, run anew up to the step that is looked at: what it does next depends on
 * the answers it got and on nothing else.
 *
 * A state is the names that are there, the sockets that are open, and what each process was answered since it took
 * its name and began to look. So there are few enough states to visit all of them. Where a step is known already nothing
 * is awaited: promises took most of the time.
 */
import assert from 'node:assert/strict';
import type { Random } from '../../../support/random.ts';
import {
  type Answer,
  type Contenders,
  closed,
  type Folder,
  keyOf,
  type Next,
  type Process,
  run,
  type State,
  type Step,
  taken,
} from './lock-process.ts';

const MAX_STEPS_ALONE = 100;
/** Before a step, on a way at random. */
const DEATH_CHANCE = 0.03;

/**
 * Visits every state, and says how many there are. Throws when two have the folder, or when somebody who is left
 * alone by the death of all others doesn't get it.
 */
export async function exploreContest(contenders: Contenders): Promise<number> {
  const model = new Model(contenders);
  const open = [model.start()];
  const seen = new Set<string>();
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const key = keyOf(state);
    if (seen.has(key)) continue;
    seen.add(key);
    await model.prove(state);
    open.push(...(await model.steps(state)), ...model.deaths(state));
  }
  return seen.size;
}

/** Visits the states on so many ways, at random. Throws as `exploreContest` does. */
export async function walkContest(contenders: Contenders, ways: number, random: Random): Promise<void> {
  const model = new Model(contenders);
  for (let way = 0; way < ways; way += 1) {
    let state = model.start();
    while (!model.hasEnded(state)) {
      await model.prove(state);
      const deaths = random.chance(DEATH_CHANCE) ? model.deaths(state) : [];
      state = random.pick(deaths.length > 0 ? deaths : await model.steps(state));
    }
  }
}

class Model {
  readonly #contenders: Contenders;
  readonly #processes = new Map<string, Process>();
  readonly #known = new Map<Process, Next>();
  readonly #provedAlone = new Set<string>();

  constructor(contenders: Contenders) {
    this.#contenders = contenders;
  }

  start(): State {
    const names = new Map((this.#contenders.leftBehind ?? []).map((name) => [name, 'of the dead']));
    const processes = this.#contenders.names.map((_, index) => this.#process(index, 0, []));
    return { names, listening: new Set(), processes };
  }

  hasEnded({ processes }: State): boolean {
    return processes.every((process) => this.#isOut(process));
  }

  async prove(state: State): Promise<void> {
    let holders = 0;
    const alone = [this.#process(state.processes.length, 0, [])];
    for (const process of state.processes) {
      const { step } = this.#known.get(process) ?? (await this.#next(process));
      if (step.kind === 'link' || step.kind === 'hold') holders += 1;
      else if (process.answers.length > 0) alone.push(process);
    }
    if (holders > 1) assert.fail(`two have it: ${keyOf(state)}`);
    for (const process of alone) {
      const folder = this.#folderLeftTo(process, state);
      const key = keyOf({ ...folder, processes: [process] });
      if (this.#provedAlone.has(key)) continue;
      this.#provedAlone.add(key);
      await this.#proveAlone(folder, process, key);
    }
  }

  /** The states that each process can make of this one by its next step. */
  async steps(state: State): Promise<State[]> {
    const states: State[] = [];
    for (const process of state.processes) {
      if (this.#isOut(process)) continue;
      const { step } = this.#known.get(process) ?? (await this.#next(process));
      const { folder, process: answered } = this.#take(state, process, step);
      const { process: left } = this.#known.get(answered) ?? (await this.#next(answered));
      states.push({ ...folder, processes: state.processes.with(process.index, left) });
    }
    return states;
  }

  deaths(state: State): State[] {
    const states: State[] = [];
    for (const process of state.processes) {
      if (process.answers.length === 0) continue;
      const processes = state.processes.with(process.index, this.#startedAnew(process));
      states.push({ ...closed(state, this.#nameOf(process)), processes });
    }
    return states;
  }

  #folderLeftTo(process: Process, { names, listening }: Folder): Folder {
    const own = this.#nameOf(process);
    return { names, listening: new Set([own].filter((name) => listening.has(name))) };
  }

  /** Proves that it gets it. One that came before others died may have been refused already. */
  async #proveAlone(from: Folder, process: Process, key: string): Promise<void> {
    let folder = from;
    const isNew = process.answers.length === 0;
    let left = process;
    for (let steps = 0; ; steps += 1) {
      const { step } = this.#known.get(left) ?? (await this.#next(left));
      if (step.kind === 'hold') break;
      if (step.kind === 'end') return assert.ok(!isNew, `refused by nobody: ${key}`);
      assert.ok(steps < MAX_STEPS_ALONE, `nobody gets it: ${key}`);
      const answered = this.#take(folder, left, step);
      ({ folder } = answered);
      left = (this.#known.get(answered.process) ?? (await this.#next(answered.process))).process;
    }
    if (isNew) assert.equal(folder.names.size, 2, `what dead ones left is still there: ${key}`);
  }

  /** The process has its answer then. */
  #take(before: Folder, process: Process, step: Step): { folder: Folder; process: Process } {
    const { folder, answer } = taken(before, step, this.#nameOf(process));
    if (step.kind === 'end') return { folder, process: this.#startedAnew(process) };
    const { index, tries, answers } = process;
    return { folder, process: this.#process(index, tries, [...answers, answer]) };
  }

  async #next(process: Process): Promise<Next> {
    const known = this.#known.get(process);
    if (known !== undefined) return known;
    const found = await run(this.#contenders.contend, process, this.#nameOf(process));
    const next =
      'kind' in found
        ? { step: found, process }
        : await this.#next(this.#process(process.index, found.tries, found.answers));
    this.#known.set(process, next);
    return next;
  }

  #process(index: number, tries: number, answers: readonly Answer[]): Process {
    const key = JSON.stringify([index, tries, answers]);
    const known = this.#processes.get(key);
    if (known !== undefined) return known;
    const process = { id: this.#processes.size, index, tries, answers };
    this.#processes.set(key, process);
    return process;
  }

  #startedAnew({ index, tries }: Process): Process {
    return this.#process(index, tries + 1, []);
  }

  /** Whether it has had all its names. */
  #isOut({ index, tries }: Process): boolean {
    return tries >= (this.#contenders.names[index]?.length ?? 0);
  }

  #nameOf({ index, tries }: Process): string {
    return this.#contenders.names[index]?.[tries] ?? `z${index}.${tries}`;
  }
}
