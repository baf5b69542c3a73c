/**
 * Sends answers of one supplier that come close together in one message: they are then committed together, and the main
 * thread is interrupted once. The more questions the supplier has open, the longer an answer waits for others; with few
 * open it waits for none, however busy other suppliers are.
 *
 * Rejected: waiting by how densely answers come, which slows down whoever buys one after the other, or gathers nothing
 * of a few hundred a second.
 */
const UNDER_WAY_PER_MS = 40;
const LONGEST_MS = 20;

interface Gathering<Answer> {
  /** Questions that are not answered yet. */
  underWay: number;
  answers: Answer[];
}

export class AnswerGathering<Answer> {
  readonly #tell: (answers: readonly Answer[]) => void;
  /** By supplier; only those with open questions or gathered answers. */
  readonly #gatherings = new Map<number, Gathering<Answer>>();

  constructor(tell: (answers: readonly Answer[]) => void) {
    this.#tell = tell;
  }

  /** Must be followed by `answered`. */
  asked(supplierId: number): void {
    const gathering = this.#gatherings.get(supplierId);
    if (gathering === undefined) this.#gatherings.set(supplierId, { underWay: 1, answers: [] });
    else gathering.underWay += 1;
  }

  answered(supplierId: number, answer: Answer): void {
    const gathering = this.#gatherings.get(supplierId);
    if (gathering === undefined) return this.#tell([answer]);
    const waitMs = Math.min(Math.floor(gathering.underWay / UNDER_WAY_PER_MS), LONGEST_MS);
    gathering.underWay -= 1;
    gathering.answers.push(answer);
    if (gathering.answers.length > 1) return;
    if (waitMs === 0) setImmediate(() => this.#tellAll(supplierId, gathering));
    else setTimeout(() => this.#tellAll(supplierId, gathering), waitMs);
  }

  #tellAll(supplierId: number, gathering: Gathering<Answer>): void {
    const { answers } = gathering;
    gathering.answers = [];
    if (gathering.underWay === 0) this.#gatherings.delete(supplierId);
    this.#tell(answers);
  }
}
