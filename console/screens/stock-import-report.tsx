/** What an import would do, line by line. */
import { counted } from '../parts/money.tsx';
import type { DryRun } from './stock-upload.ts';

/** More are counted, not listed. */
const LISTED_RUNS = 40;

export function DryRunReport({ dry }: { readonly dry: DryRun }) {
  const { wouldAdd, duplicateLineCount, duplicateLines, badLineCount, badLines, recalled = 0 } = dry;
  return (
    <div role="status">
      <dl class="facts">
        <dt>Would add</dt>
        <dd>
          <b>{counted(wouldAdd)}</b> {wouldAdd === 1 ? 'item' : 'items'}
        </dd>
        <dt>Duplicates</dt>
        <dd>
          <Lines count={duplicateLineCount} lines={duplicateLines} />
          {recalled > 0 && ` ${counted(recalled)} of them are of a lot that was recalled.`}
        </dd>
        <dt>Bad lines</dt>
        <dd class={badLineCount > 0 ? 'is-low' : ''}>
          <Lines count={badLineCount} lines={badLines} />
        </dd>
      </dl>
    </div>
  );
}

function Lines({ count, lines }: { readonly count: number; readonly lines: readonly number[] }) {
  if (count === 0) return <>none</>;
  const runs = runsOf(lines);
  const shown = runs.slice(0, LISTED_RUNS);
  const rest = count - shown.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  const words = shown.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
  return (
    <>
      <b>{counted(count)}</b>
      {`: ${count === 1 ? 'line' : 'lines'} ${words}${rest > 0 ? ` and ${counted(rest)} more` : ''}`}
    </>
  );
}

/** Ascending numbers, with those that follow each other taken together. */
function runsOf(lines: readonly number[]): readonly (readonly [from: number, to: number])[] {
  const runs: [number, number][] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else runs.push([line, line]);
  }
  return runs;
}
