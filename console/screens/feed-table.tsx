/**
 * The lines of the feed as a table, the newest above. Only those on view are in the page. They move down as others come,
 * but not under somebody who has scrolled, or whose focus is in them.
 */
import { useRef } from 'preact/hooks';
import { type Column, cellOf, headOf, widthsOf } from '../parts/list-row.tsx';
import { Money } from '../parts/money.tsx';
import { Time } from '../parts/time.tsx';
import { AboutLinks } from './about-links.tsx';
import { aboutOf, amountOf, type Fact, wordsOf } from './fact.ts';
import { useFocusedFact, useKeptPlace, useShown } from './feed-window.ts';

interface FeedTableProps {
  readonly rows: readonly Fact[];
  readonly onOpen: (fact: Fact) => void;
}

/** Its button opens the row. */
const LINE: Column<Fact> = { name: 'Line', narrow: [1, 'first'], width: '6rem', cell: ({ seq }) => seq };

const COLUMNS: readonly Column<Fact>[] = [
  { name: 'When', narrow: [2, 'all'], width: '11rem', cell: ({ at }) => <Time at={at} /> },
  {
    name: 'Type',
    narrow: [1, 'middle'],
    width: 'minmax(8rem, 17rem)',
    cell: ({ type }) => <span title={type}>{type}</span>,
  },
  {
    name: 'About',
    narrow: [4, 'all'],
    width: 'minmax(0, 3fr)',
    cell: (fact) => <AboutLinks about={aboutOf(fact)} />,
  },
  {
    name: 'What',
    narrow: [3, 'all'],
    width: 'minmax(0, 2fr)',
    cell: (fact) => <span title={wordsOf(fact)}>{wordsOf(fact)}</span>,
  },
  {
    name: 'USDT',
    narrow: [1, 'last'],
    width: '8rem',
    align: 'end',
    cell: (fact) => {
      const amount = amountOf(fact);
      return amount === undefined ? '' : <Money amount={amount} />;
    },
  },
];

export function FeedTable({ rows, onOpen }: FeedTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const { rowPx, first, shown, top, onView, isDown, onScroll } = useShown(scroller, rows);
  const focused = useFocusedFact(scroller, rows, { rowPx, onView });
  useKeptPlace(scroller, rows, rowPx);
  const isNear = shown.some(({ seq }) => seq === focused.seq);
  const tabbedSeq = isNear ? focused.seq : rows[top]?.seq;
  return (
    <div class="endless">
      {isDown && (
        <button type="button" class="newer" onClick={() => focused.goTo(0)}>
          To the newest
        </button>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its rows have buttons; keys go from one to the next. */}
      <div class="scroller" ref={scroller} onScroll={onScroll} onKeyDown={focused.onKeyDown} tabIndex={-1}>
        <div
          role="table"
          aria-label="Feed"
          aria-rowcount={rows.length + 1}
          style={widthsOf([LINE, ...COLUMNS])}
        >
          <FeedHead />
          <div role="rowgroup" class="body" style={{ height: `${rows.length * rowPx}px` }}>
            {shown.map((fact, offset) => (
              <FeedRow
                key={fact.seq}
                fact={fact}
                index={first + offset}
                topPx={(first + offset) * rowPx}
                isTabbed={fact.seq === tabbedSeq}
                onFocus={() => focused.set(fact.seq)}
                onOpen={() => onOpen(fact)}
              />
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

function FeedHead() {
  return (
    <div role="rowgroup" class="head">
      <div role="row" aria-rowindex={1} class="grid">
        {[LINE, ...COLUMNS].map((column) => (
          <div key={column.name} role="columnheader" class={headOf(column)}>
            {column.name}
          </div>
        ))}
      </div>
    </div>
  );
}

interface FeedRowProps {
  readonly fact: Fact;
  readonly index: number;
  readonly topPx: number;
  readonly isTabbed: boolean;
  readonly onFocus: () => void;
  readonly onOpen: () => void;
}

/** A click anywhere on it opens it; its button is for the keyboard. */
function FeedRow({ fact, index, topPx, isTabbed, onFocus, onOpen }: FeedRowProps) {
  const open = (event: MouseEvent) => {
    const isOnControl = (event.target as Element).closest('a, button') !== null;
    if (!isOnControl && getSelection()?.isCollapsed !== false) onOpen();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: its button is.
    <div
      role="row"
      aria-rowindex={index + 2}
      data-seq={fact.seq}
      class="row grid is-link"
      style={{ transform: `translateY(${topPx}px)` }}
      onClick={open}
    >
      <div role="cell" {...cellOf(LINE)}>
        <button type="button" class="plain" tabIndex={isTabbed ? 0 : -1} onFocus={onFocus} onClick={onOpen}>
          {LINE.cell(fact)}
        </button>
      </div>
      {COLUMNS.map((column) => (
        <div key={column.name} role="cell" {...cellOf(column)}>
          {column.cell(fact)}
        </div>
      ))}
    </div>
  );
}
