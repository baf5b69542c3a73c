/**
 * How long starts take, after a stop and after a kill. A host gets faster and slower within the hour that a long history
 * takes. So the folder as it was at the first age is kept, and at each later age it is started in turn with the one that has
 * grown.
 */
import { cpSync, lstatSync } from 'node:fs';
import { processorTimeMs } from '../measure/machine-time.ts';
import { type Spread, spread } from '../measure/statistics.ts';
import type { RunningNode } from '../systems/running-node.ts';

export type HowItEnds = 'stop' | 'kill';

export interface Starts {
  /** From the start to the ready line. */
  readonly ms: Spread | undefined;
  /** Processor time of all the node's threads until then: what others do to the machine is not in it. */
  readonly processorMs: Spread | undefined;
  /** Each start's by that of the first age right before it; undefined at the first age. */
  readonly growth: Spread | undefined;
  readonly processorGrowth: Spread | undefined;
}

export interface RestartsOptions {
  /** Starts a node on a folder of its own for each name; the same name again is the same folder. */
  readonly startNode: (name: string) => Promise<RunningNode>;
  readonly folderOf: (name: string) => string;
  readonly progress: (line: string) => void;
  /** The name of the folder that grows. */
  readonly name: string;
}

interface Start {
  readonly node: RunningNode;
  readonly ms: number;
  readonly processorMs: number | undefined;
}

export class Restarts {
  readonly #options: RestartsOptions;
  readonly #kept = new Set<HowItEnds>();

  constructor(options: RestartsOptions) {
    this.#options = options;
  }

  /** `end` ends the node, `begun` is given the next one, so many times. */
  async measure(
    how: HowItEnds,
    rounds: number,
    end: () => Promise<void>,
    begun: (node: RunningNode) => void,
  ): Promise<Starts> {
    const isFirstAge = !this.#kept.has(how);
    const starts: { readonly own: Start; readonly first: Start | undefined }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await end();
      if (!this.#kept.has(how)) this.#keep(how);
      const first = isFirstAge ? undefined : await this.#startFirstAge(how);
      const own = await this.#start(this.#options.name);
      begun(own.node);
      starts.push({ own, first });
      const beside = first === undefined ? '' : `, of the first age ${Math.round(first.ms)} ms`;
      this.#options.progress(`history: ready ${Math.round(own.ms)} ms after a ${how}${beside}`);
    }
    return {
      ms: spread(starts.map(({ own }) => own.ms)),
      processorMs: spread(starts.map(({ own }) => own.processorMs)),
      growth: spread(starts.map(({ own, first }) => first && own.ms / first.ms)),
      processorGrowth: spread(starts.map(({ own, first }) => byOther(own.processorMs, first?.processorMs))),
    };
  }

  /** As the node left it, without the sockets of its lock. */
  #keep(how: HowItEnds): void {
    const { folderOf, name } = this.#options;
    const filter = (file: string) => !lstatSync(file).isSocket();
    cpSync(folderOf(name), folderOf(firstAge(how)), { recursive: true, filter });
    this.#kept.add(how);
  }

  /** Starts the first age, and ends it at once, before it has folded anything: so it is left as it was. */
  async #startFirstAge(how: HowItEnds): Promise<Start> {
    const start = await this.#start(firstAge(how));
    await start.node[how]();
    return start;
  }

  async #start(name: string): Promise<Start> {
    const fromMs = performance.now();
    const node = await this.#options.startNode(name);
    return { node, ms: performance.now() - fromMs, processorMs: processorTimeMs(node.pid) };
  }
}

function firstAge(how: HowItEnds): string {
  return `first-age-${how}`;
}

function byOther(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined || !(other > 0) ? undefined : one / other;
}
