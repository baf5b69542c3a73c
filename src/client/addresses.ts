/**
 * The base addresses of one shop, and which of them is asked first: the one that answered last, or whom a node named as
 * the leader of its cluster. Shared by all calls of a client, so that one call finds the leader for the others.
 *
 * A node's word about its leader chooses among the addresses that the program gave, and adds none: the API key goes
 * nowhere else.
 */
export class Addresses {
  /** At least one; no two are the same. */
  readonly #all: readonly string[];
  #first: string;

  constructor(all: readonly [string, ...string[]]) {
    this.#all = [...new Set(all)];
    this.#first = all[0];
  }

  /** Where an attempt begins. */
  get first(): string {
    return this.#first;
  }

  /** `address` has answered. */
  answered(address: string): void {
    this.#first = address;
  }

  /**
   * `address` is not the one to ask now. Returns whom to ask next of those that were not `asked`: the leader, or the next
   * in order; undefined when all were.
   */
  after(address: string, leaderUrl: string | undefined, asked: ReadonlySet<string>): string | undefined {
    const at = this.#all.indexOf(address);
    const others = [...this.#all.slice(at + 1), ...this.#all.slice(0, at)];
    const leader = others.find((other) => leaderUrl !== undefined && originOf(other) === originOf(leaderUrl));
    // Of calls at the same time only one moves it: another would move it past whom it has not asked.
    if (this.#first === address) this.#first = leader ?? others[0] ?? address;
    const candidates = leader === undefined ? others : [leader, ...others];
    return candidates.find((candidate) => !asked.has(candidate));
  }
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
