/** An error that is an answer of `linked-thread.ts`. */
export class OddError extends Error {
  override readonly name = 'OddError';
  readonly number: number;

  constructor(number: number) {
    super(`${number} is odd`);
    this.number = number;
  }
}
