/**
 * Answers that come close together are told together: they are then committed together, and the main thread is
 * interrupted once. What comes first is told when this turn of the event loop is over; then nothing is told for a
 * while that is the longer, the more was told. So an answer waits only behind others, and longer only where they come
 * densely. Rejected: going by how many purchases are under way, for one slow supplier then delays all others.
 */
const REST_MS_PER_ANSWER = 2;
const MAX_REST_MS = 20;

export class AnswerGathering<Answer> {
  readonly #tell: (answers: readonly Answer[]) => void;
  #answers: Answer[] = [];
  #restsUntilMs = Number.NEGATIVE_INFINITY;

  constructor(tell: (answers: readonly Answer[]) => void) {
    this.#tell = tell;
  }

  add(answer: Answer): void {
    this.#answers.push(answer);
    if (this.#answers.length > 1) return;
    const waitMs = this.#restsUntilMs - performance.now();
    if (waitMs <= 0) setImmediate(this.#tellAll);
    else setTimeout(this.#tellAll, waitMs);
  }

  readonly #tellAll = (): void => {
    const answers = this.#answers;
    this.#answers = [];
    this.#restsUntilMs = performance.now() + Math.min(answers.length * REST_MS_PER_ANSWER, MAX_REST_MS);
    this.#tell(answers);
  };
}
