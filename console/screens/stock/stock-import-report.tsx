/** The effect that an import would have, line by line. */
import { Fact, Facts } from '../../parts/facts.tsx';
import { counted } from '../../parts/money.tsx';
import type { DryRun } from './stock-upload.ts';

type LookAlike = DryRun['lookAlikes'][number];

/** More are counted, not listed. */
const LISTED_RUNS = 40;
const LISTED_LOOK_ALIKES = 10;

export interface DryRunReportProps {
  readonly dry: DryRun;
  /** Whether its items are those of a column. */
  readonly isOfTable: boolean;
}

export function DryRunReport({ dry, isOfTable }: DryRunReportProps) {
  const { wouldAdd, duplicateLineCount, duplicateLines, badLineCount, badLines, recalled = 0 } = dry;
  const others = dry.duplicatesOf.map(({ productId, count }) => `${counted(count)} of product ${productId}`);
  return (
    <div role="status">
      <Facts>
        <Fact name="Would add">
          <b>{counted(wouldAdd)}</b> {wouldAdd === 1 ? 'item' : 'items'}
        </Fact>
        <Fact name="Duplicates">
          <Lines count={duplicateLineCount} lines={duplicateLines} />
          {others.length > 0 && ` (${others.join(', ')}).`}
          {recalled > 0 && ` ${counted(recalled)} of them are of a lot that was recalled.`}
        </Fact>
        <Fact name="Bad lines" class={badLineCount > 0 ? 'is-low' : ''}>
          <Lines count={badLineCount} lines={badLines} />
          {dry.badLineReasons.map(({ reason, count, lines }) => (
            <div key={reason}>{`${counted(count)}, from line ${lines[0]?.first ?? ''} on: ${reason}.`}</div>
          ))}
        </Fact>
        {dry.lookAlikeCount > 0 && (
          <Fact name="Look like another text" class="is-low">
            {dry.lookAlikes.slice(0, LISTED_LOOK_ALIKES).map((lookAlike) => (
              <div key={lookAlike.line}>{likeText(lookAlike)}</div>
            ))}
            {dry.lookAlikeCount > LISTED_LOOK_ALIKES && `${counted(dry.lookAlikeCount)} in all.`}
          </Fact>
        )}
        {dry.sample.length > 0 && (
          <Fact
            name="Buyers will see"
            is={dry.sample.map((text) => (
              <div key={text} class="sample">
                {text}
              </div>
            ))}
          />
        )}
      </Facts>
      {!isOfTable && dry.table !== undefined && (
        <p class="notice is-waiting">
          {`This looks like a table with the columns ${dry.table.columns.join(', ')}: its header and quotes would be sold. Choose the column that has the items.`}
        </p>
      )}
      {!isOfTable && dry.table === undefined && dry.encoding !== undefined && dry.encoding !== 'utf-8' && (
        <p class="notice is-waiting">{`This file looks like ${dry.encoding}: save it as UTF-8.`}</p>
      )}
    </div>
  );
}

function likeText({ line, likeLine, productId, item, orderId, differsIn, added }: LookAlike): string {
  const place = orderId === undefined ? `item ${item}` : `order ${orderId}`;
  const like = likeLine === undefined ? `${place} of product ${productId}` : `line ${likeLine}`;
  const differs = differsIn.length === 0 ? '' : ` but for ${differsIn.join(', ')}`;
  return `Line ${line} looks like ${like}${differs}${added ? '' : ' (left out)'}.`;
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
