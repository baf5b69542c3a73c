/**
 * A list of any length, as a table: only the rows on view are in the page, and those near them in memory.
 *
 * For a screen reader it is a table with all its rows counted. By keyboard: the arrows, Page Up and Down, Home and End go
 * through the rows, Enter opens one. Rows are of one height, so that where a row is needs no measuring of those above.
 * A browser can't show a box as high as a million rows, so the box has `SPAN_ROWS` of them, and moves along.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { NodeAway } from '../api/api-failure.ts';
import { beginBusy } from '../shell/busy.ts';
import { askNow, beat, moved } from '../shell/pulse.ts';
import { goTo } from '../shell/router.ts';
import { ErrorNotice } from './error-notice.tsx';
import { indexAfterKey } from './list-keys.ts';
import { type LoadPage, PagedRows } from './paged-rows.ts';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** For CSS grid; default: an equal share of what is left. */
  readonly width?: string;
  /** Numbers stand at the end. */
  readonly align?: 'end';
  /** Not shown on narrow screens. */
  readonly isWideOnly?: boolean;
}

export interface EndlessListProps<Row> {
  /** What a screen reader calls the table. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly load: LoadPage<Row>;
  /** Names what is listed: another key, another list. */
  readonly listKey: string;
  readonly keyOf: (row: Row) => string | number;
  /** Where Enter and a click lead. */
  readonly hrefOf?: (row: Row) => string;
  /** Where new rows come; default: above. */
  readonly grows?: 'below' | 'above';
  /** Of rows that change without a fact. */
  readonly isPulsed?: boolean;
  /** Instead of rows, when there are none. */
  readonly empty: ComponentChildren;
}

const SPAN_ROWS = 100_000;
/** Rows beside the view that are in the page, so that scrolling finds them. */
const MARGIN_ROWS = 12;
const DEFAULT_ROW_PX = 36;

export function EndlessList<Row>(props: EndlessListProps<Row>) {
  // With its key, so that another list begins with nothing of this one.
  return <OneList key={props.listKey} {...props} />;
}

function OneList<Row>(props: EndlessListProps<Row>) {
  const { label, columns, keyOf, hrefOf, grows = 'above', empty } = props;
  const { rows, failure } = useRows(props, grows);
  const scroller = useRef<HTMLDivElement>(null);
  const [rowPx, setRowPx] = useState(DEFAULT_ROW_PX);
  const [base, setBase] = useState(0);
  const [position, setPosition] = useState({ topPx: 0, heightPx: 600 });
  const [active, setActive] = useState(0);
  const wantsFocus = useRef(false);
  const shiftRows = useRef(0);
  void rows.version.value;

  const { count } = rows;
  const top = base + Math.floor(position.topPx / rowPx);
  const onView = Math.ceil(position.heightPx / rowPx);
  const first = Math.max(base, top - MARGIN_ROWS);
  const end = Math.min(count, top + onView + MARGIN_ROWS);
  const span = Math.min(count - base, SPAN_ROWS);

  useEffect(() => {
    const box = scroller.current;
    const hasFocus = box?.contains(document.activeElement) === true;
    void rows.show({ first, last: top + onView + MARGIN_ROWS, isAtTop: top === 0 && !hasFocus });
  }, [rows, first, top, onView]);

  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return undefined;
    const measure = () => {
      const rowHeight = box.querySelector('.row')?.getBoundingClientRect().height ?? 0;
      if (rowHeight > 0) setRowPx(rowHeight);
      setPosition((before) => ({ ...before, heightPx: box.clientHeight }));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, [count > 0]);

  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null || shiftRows.current === 0) return;
    box.scrollTop -= shiftRows.current * rowPx;
    shiftRows.current = 0;
  }, [base]);

  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${active}"] a`);
    if (row == null) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });

  const moveBase = (to: number) => {
    shiftRows.current = to - base;
    setBase(to);
  };
  const onScroll = () => {
    const box = scroller.current;
    if (box === null || shiftRows.current !== 0) return;
    setPosition((before) => ({ ...before, topPx: box.scrollTop }));
    const row = base + Math.floor(box.scrollTop / rowPx);
    const edge = SPAN_ROWS / 10;
    if (row - base > SPAN_ROWS - edge && count > base + SPAN_ROWS) moveBase(base + SPAN_ROWS / 2);
    else if (base > 0 && row - base < edge) moveBase(Math.max(0, base - SPAN_ROWS / 2));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (hrefOf === undefined) return;
    const next = indexAfterKey(event, active, count, onView);
    const box = scroller.current;
    if (next === undefined || box === null) return;
    event.preventDefault();
    wantsFocus.current = true;
    setActive(next);
    if (next < base || next >= base + SPAN_ROWS) moveBase(Math.max(0, next - SPAN_ROWS / 2));
    const fromPx = (next - base) * rowPx;
    const roomPx = box.clientHeight - headHeightOf(box);
    if (fromPx < box.scrollTop) box.scrollTop = fromPx;
    else if (fromPx + rowPx > box.scrollTop + roomPx) box.scrollTop = fromPx + rowPx - roomPx;
  };
  const showNewer = () => {
    moveBase(0);
    setActive(0);
    if (scroller.current !== null) scroller.current.scrollTop = 0;
    void rows.restart();
  };

  if (failure !== undefined && count === 0) return <ErrorNotice failure={failure} />;
  if (count === 0) {
    return rows.isComplete ? <div class="empty">{empty}</div> : <p class="loading">Loading…</p>;
  }
  // The row that Tab goes to: the active one, or the first on view when that is elsewhere.
  const tabbed = active >= first && active < end ? active : Math.min(top, count - 1);
  return (
    <div class="endless">
      {rows.newer.value && (
        <button type="button" class="newer" onClick={showNewer}>
          Show newer rows
        </button>
      )}
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its rows are links; keys go from one to the next. */}
      <div
        class="scroller"
        ref={scroller}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        tabIndex={hrefOf === undefined ? 0 : -1}
      >
        <div
          role="table"
          aria-label={label}
          aria-rowcount={rows.isComplete ? count + 1 : -1}
          style={templatesOf(columns)}
        >
          <div role="rowgroup" class="head">
            <div role="row" aria-rowindex={1} class="grid">
              {columns.map((column) => (
                <div key={column.name} role="columnheader" class={classOf(column)}>
                  {column.name}
                </div>
              ))}
            </div>
          </div>
          <div role="rowgroup" class="body" style={{ height: `${span * rowPx}px` }}>
            {indexes(first, end).map((index) => {
              const row = rows.at(index);
              return (
                <ListRow
                  key={row === undefined ? `row ${index}` : keyOf(row)}
                  index={index}
                  topPx={(index - base) * rowPx}
                  row={row}
                  columns={columns}
                  href={row === undefined ? undefined : hrefOf?.(row)}
                  isTabbed={index === tabbed}
                  onFocus={() => setActive(index)}
                />
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

interface ListRowProps<Row> {
  readonly index: number;
  readonly topPx: number;
  readonly row: Row | undefined;
  readonly columns: readonly Column<Row>[];
  readonly href: string | undefined;
  readonly isTabbed: boolean;
  readonly onFocus: () => void;
}

/** A click anywhere on it opens it; the link in its first cell is for the keyboard, and to open it elsewhere. */
function ListRow<Row>({ index, topPx, row, columns, href, isTabbed, onFocus }: ListRowProps<Row>) {
  const open = (event: MouseEvent) => {
    const isOnControl = (event.target as Element).closest('a, button') !== null;
    if (href === undefined || isOnControl || getSelection()?.isCollapsed === false) return;
    goTo(href);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: its link is.
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      class={href === undefined ? 'row grid' : 'row grid is-link'}
      style={{ transform: `translateY(${topPx}px)` }}
      onClick={open}
    >
      {columns.map((column, place) => {
        const content = row === undefined ? '' : column.cell(row);
        return (
          <div key={column.name} role="cell" class={classOf(column)}>
            {place === 0 && href !== undefined ? (
              <a href={href} tabIndex={isTabbed ? 0 : -1} onFocus={onFocus}>
                {content}
              </a>
            ) : (
              content
            )}
          </div>
        );
      })}
    </div>
  );
}

function useRows<Row>({ load, keyOf, isPulsed }: EndlessListProps<Row>, grows: 'below' | 'above') {
  const [failure, setFailure] = useState<unknown>(undefined);
  const rows = useMemo(
    () =>
      new PagedRows<Row>({ load, keyOf, grows }, (error) => {
        if (error instanceof NodeAway) void askNow();
        else setFailure(error);
      }),
    [],
  );
  useEffect(() => {
    const endBusy = beginBusy();
    void rows.show({ first: 0, last: 0, isAtTop: true }).finally(endBusy);
    return () => {
      endBusy();
      rows.close();
    };
  }, [rows]);
  const tick = (isPulsed ? beat : moved).value;
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) {
      setFailure(undefined);
      void rows.refresh();
    }
    isFirst.current = false;
  }, [tick]);
  return { rows, failure };
}

function classOf<Row>({ align, isWideOnly }: Column<Row>): string {
  return `cell${align === 'end' ? ' at-end' : ''}${isWideOnly === true ? ' wide-only' : ''}`;
}

function templatesOf<Row>(columns: readonly Column<Row>[]) {
  const template = (shown: readonly Column<Row>[]) =>
    shown.map(({ width = 'minmax(0, 1fr)' }) => width).join(' ');
  return {
    '--columns': template(columns),
    '--columns-narrow': template(columns.filter(({ isWideOnly }) => isWideOnly !== true)),
  };
}

function headHeightOf(box: HTMLElement): number {
  return box.querySelector('.head')?.getBoundingClientRect().height ?? 0;
}

function indexes(first: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset);
}
