/**
 * Troubles of the Bot API that a test asks for: for the next calls, or at random. `cut` ends the connection before the call
 * is carried out, and `lost-answer` after that.
 */
import type { Random } from '../random.ts';

export type Fault = 'flood' | 'blocked' | 'bad-gateway' | 'cut' | 'lost-answer';

interface Chance {
  readonly random: Random;
  readonly chance: number;
  readonly kinds: readonly Fault[];
}

export class Faults {
  readonly #next: { readonly fault: Fault; readonly method: string }[] = [];
  #atRandom: Chance | undefined;
  readonly #happened = new Map<string, number>();

  /** For the next call of that method. Several are taken in their order. */
  next(method: string, ...faults: readonly Fault[]): void {
    this.#next.push(...faults.map((fault) => ({ fault, method })));
  }

  atRandom(random: Random, chance: number, kinds: readonly Fault[]): void {
    this.#atRandom = { random, chance, kinds };
  }

  /** From here on none. */
  end(): void {
    this.#next.length = 0;
    this.#atRandom = undefined;
  }

  take(method: string): Fault | undefined {
    const at = this.#next.findIndex((each) => each.method === method);
    const fault = at >= 0 ? this.#next.splice(at, 1)[0]?.fault : this.#drawn();
    if (fault !== undefined) this.#happened.set(`${fault} ${method}`, this.count(fault, method) + 1);
    return fault;
  }

  /** How many there were by now. */
  count(fault: Fault, method: string): number {
    return this.#happened.get(`${fault} ${method}`) ?? 0;
  }

  #drawn(): Fault | undefined {
    const drawn = this.#atRandom;
    return drawn?.random.chance(drawn.chance) ? drawn.random.pick(drawn.kinds) : undefined;
  }
}
