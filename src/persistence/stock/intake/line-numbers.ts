/** Numbers of an upload's lines, for its answer: all are counted, and the first are listed. */
export const MAX_LISTED_LINES = 10_000;

export class LineNumbers {
  readonly first: number[] = [];
  count = 0;

  add(lineNumber: number): void {
    this.count += 1;
    if (this.first.length < MAX_LISTED_LINES) this.first.push(lineNumber);
  }
}

/** Lines that are told as ranges, and those of one kind. */
const MAX_LISTED_RANGES = 100;

export interface LineRange {
  readonly first: number;
  last: number;
}

/** Ascending numbers, as ranges. */
export class LineRanges {
  readonly ranges: LineRange[] = [];
  count = 0;

  add(lineNumber: number): void {
    this.count += 1;
    const range = this.ranges.at(-1);
    if (range?.last === lineNumber - 1) range.last = lineNumber;
    else if (this.ranges.length < MAX_LISTED_RANGES)
      this.ranges.push({ first: lineNumber, last: lineNumber });
  }
}

/** Lines by the thing that is to be said of them. At most `MAX_LISTED_RANGES` things; lines of others are left out. */
export class SortedLines<Of> {
  readonly of = new Map<Of, LineRanges>();

  add(of: Of, lineNumber: number): void {
    let lines = this.of.get(of);
    if (lines === undefined) {
      if (this.of.size === MAX_LISTED_RANGES) return;
      lines = new LineRanges();
      this.of.set(of, lines);
    }
    lines.add(lineNumber);
  }
}
