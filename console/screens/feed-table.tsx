/**
 * The lines of the feed as a table, the newest above. Only those on view are in the page. They move down as others come,
 * but not under somebody who has scrolled, or whose focus is in them.
 */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Money } from '../parts/money.tsx';
import { Time } from '../parts/time.tsx';
import { AboutLinks } from './about-links.tsx';
import { aboutOf, amountOf, type Fact, wordsOf } from './fact.ts';
import { useFocusedFact, useKeptPlace, useShown } from './feed-window.ts';

interface FeedTableProps {
  readonly rows: readonly Fact[];
  readonly onOpen: (fact: Fact) => void;
}

interface FeedColumn {
  readonly name: string;
  readonly className?: string;
  readonly cell: (fact: Fact) => ComponentChildren;
}

const COLUMNS: readonly FeedColumn[] = [
  { name: 'When', className: 'wide-only', cell: ({ at }) => <Time at={at} /> },
  { name: 'Type', cell: ({ type }) => <span title={type}>{type}</span> },
  { name: 'About', cell: (fact) => <AboutLinks about={aboutOf(fact)} /> },
  {
    name: 'What',
    className: 'wide-only',
    cell: (fact) => <span title={wordsOf(fact)}>{wordsOf(fact)}</span>,
  },
  {
    name: 'USDT',
    className: 'wide-only at-end',
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
      <div
        class="scroller feed"
        ref={scroller}
        onScroll={onScroll}
        onKeyDown={focused.onKeyDown}
        tabIndex={-1}
      >
        <div role="table" aria-label="Feed" aria-rowcount={rows.length + 1}>
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
        <div role="columnheader" class="cell">
          Line
        </div>
        {COLUMNS.map(({ name, className = '' }) => (
          <div key={name} role="columnheader" class={`cell ${className}`}>
            {name}
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
      <div role="cell" class="cell">
        <button type="button" class="plain" tabIndex={isTabbed ? 0 : -1} onFocus={onFocus} onClick={onOpen}>
          {fact.seq}
        </button>
      </div>
      {COLUMNS.map(({ name, className = '', cell }) => (
        <div key={name} role="cell" class={`cell ${className}`}>
          {cell(fact)}
        </div>
      ))}
    </div>
  );
}
