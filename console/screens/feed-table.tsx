/**
 * The lines of the feed as a table, the newest above. Only those on view are in the page. They move down as others come,
 * but not under somebody who has scrolled, or whose focus is in them.
 */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { indexAfterKey } from '../parts/list-keys.ts';
import { Money } from '../parts/money.tsx';
import { Time } from '../parts/time.tsx';
import { AboutLinks } from './about-links.tsx';
import { aboutOf, amountOf, type Fact, wordsOf } from './fact.ts';

interface FeedTableProps {
  readonly rows: readonly Fact[];
  readonly onOpen: (fact: Fact) => void;
}

const MARGIN_ROWS = 8;
const DEFAULT_ROW_PX = 32;

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
  const [rowPx, setRowPx] = useState(DEFAULT_ROW_PX);
  const [view, setView] = useState({ topPx: 0, heightPx: 600 });
  const [activeSeq, setActiveSeq] = useState(0);
  const wantsFocus = useRef(false);
  const onView = Math.ceil(view.heightPx / rowPx);
  const top = Math.floor(view.topPx / rowPx);
  const first = Math.max(0, top - MARGIN_ROWS);
  const shown = rows.slice(first, top + onView + MARGIN_ROWS);

  useKeptPlace(scroller, rows, rowPx);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return undefined;
    const measure = () => {
      setRowPx(box.querySelector('.row')?.getBoundingClientRect().height || DEFAULT_ROW_PX);
      setView((before) => ({ ...before, heightPx: box.clientHeight }));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    const button = scroller.current?.querySelector<HTMLElement>(`[data-seq="${activeSeq}"] button`);
    if (button == null) return;
    wantsFocus.current = false;
    button.focus({ preventScroll: true });
  });

  const toIndex = (index: number) => {
    const box = scroller.current;
    if (box === null) return;
    const [fromPx, roomPx] = [index * rowPx, box.clientHeight - 2 * rowPx];
    if (fromPx < box.scrollTop) box.scrollTop = fromPx;
    else if (fromPx > box.scrollTop + roomPx) box.scrollTop = fromPx - roomPx;
    wantsFocus.current = true;
    setActiveSeq(rows[index]?.seq ?? 0);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const active = rows.findIndex(({ seq }) => seq === activeSeq);
    const next = indexAfterKey(event, Math.max(0, active), rows.length, onView);
    if (next === undefined) return;
    event.preventDefault();
    toIndex(next);
  };
  const isActiveShown = shown.some(({ seq }) => seq === activeSeq);
  const tabbedSeq = isActiveShown ? activeSeq : rows[top]?.seq;
  return (
    <div class="endless">
      {view.topPx > 0 && (
        <button type="button" class="newer" onClick={() => toIndex(0)}>
          To the newest
        </button>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its rows have buttons; keys go from one to the next. */}
      <div
        class="scroller feed"
        ref={scroller}
        onScroll={({ currentTarget: { scrollTop } }) =>
          setView((before) => ({ ...before, topPx: scrollTop }))
        }
        onKeyDown={onKeyDown}
        tabIndex={-1}
      >
        <div role="table" aria-label="Feed" aria-rowcount={rows.length + 1}>
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
          <div role="rowgroup" class="body" style={{ height: `${rows.length * rowPx}px` }}>
            {shown.map((fact, offset) => (
              <FeedRow
                key={fact.seq}
                fact={fact}
                index={first + offset}
                topPx={(first + offset) * rowPx}
                isTabbed={fact.seq === tabbedSeq}
                onFocus={() => setActiveSeq(fact.seq)}
                onOpen={() => onOpen(fact)}
              />
            ))}
          </div>
        </div>
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

/** What somebody looks at stays where it is when rows come above it. */
function useKeptPlace(
  scroller: { readonly current: HTMLDivElement | null },
  rows: readonly Fact[],
  rowPx: number,
): void {
  const newest = useRef(rows[0]?.seq);
  useLayoutEffect(() => {
    const added = rows.findIndex(({ seq }) => seq === newest.current);
    newest.current = rows[0]?.seq;
    const box = scroller.current;
    if (box === null || added <= 0) return;
    const isLookedAt = box.scrollTop > 0 || box.contains(document.activeElement);
    if (isLookedAt) box.scrollTop += added * rowPx;
  }, [rows]);
}
