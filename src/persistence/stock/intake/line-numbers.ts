/** Numbers of an upload's lines, for the answer to a dry run: all are counted, and the first are listed. */
export const MAX_LISTED_LINES = 10_000;

export class LineNumbers {
  readonly first: number[] = [];
  count = 0;

  add(lineNumber: number): void {
    this.count += 1;
    if (this.first.length < MAX_LISTED_LINES) this.first.push(lineNumber);
  }
}
