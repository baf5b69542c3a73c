/**
 * A list of any length, as a table: only the rows on view are in the page, and those near them in memory.
 *
 * For a screen reader it is a table with all its rows counted. By keyboard: the arrows, Page Up and Down, Home and End go
 * through the rows, Enter opens one. Rows are of one height, so that where a row is needs no measuring of those above; only
 * the one with the focus grows over those below, where a text has no room otherwise.
 */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { NodeAway } from '../../api/api-failure.ts';
import { beginBusy } from '../../shell/busy.ts';
import { askNow, beat, moved } from '../../shell/pulse.ts';
import { useRetry } from '../../shell/retry.ts';
import { ErrorNotice } from '../error-notice.tsx';
import { indexAfterKey } from './list-keys.ts';
import { type Column, headOf, ListRow, widthsOf } from './list-row.tsx';
import { type ListWindow, useListWindow } from './list-window.ts';
import { type LoadPage, PagedRows } from './paged-rows.ts';

export type { Column } from './list-row.tsx';

export interface EndlessListProps<Row> {
  /** The table's name for screen readers. */
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
  /** Whether rows change without a fact. */
  readonly isPulsed?: boolean;
  /** Instead of rows, when there are none. */
  readonly empty: ComponentChildren;
}

/** Rows beside the view that are in the page, so that scrolling finds them. */
const MARGIN_ROWS = 12;

export function EndlessList<Row>(props: EndlessListProps<Row>) {
  // With its key, so that another list begins with nothing of this one.
  return <OneList key={props.listKey} {...props} />;
}

function OneList<Row>(props: EndlessListProps<Row>) {
  const { grows = 'above', empty } = props;
  const { rows, failure } = useRows(props, grows);
  const scroller = useRef<HTMLDivElement>(null);
  void rows.version.value;
  const { count } = rows;
  const view = useListWindow(scroller, count);
  const { top, onView, base } = view;
  const focused = useFocusedRow(scroller, view, count);
  const first = Math.max(base, top - MARGIN_ROWS);
  const last = top + onView + MARGIN_ROWS;

  useEffect(() => {
    const hasFocus = scroller.current?.contains(document.activeElement) === true;
    void rows.show({ first, last, isAtTop: top === 0 && !hasFocus });
  }, [rows, first, last]);

  const showNewer = () => {
    view.toTop();
    focused.set(0);
    void rows.restart();
  };
  if (failure !== undefined && count === 0) return <ErrorNotice failure={failure} />;
  if (count === 0)
    return rows.isComplete ? <div class="empty">{empty}</div> : <p class="loading">Loading…</p>;
  return (
    <div class="endless">
      {rows.newer.value && (
        <button type="button" class="newer" onClick={showNewer}>
          Show newer rows
        </button>
      )}
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its rows take the focus; keys go from one to the next. */}
      <div
        class="scroller"
        ref={scroller}
        onScroll={view.onScroll}
        onKeyDown={focused.onKeyDown}
        tabIndex={-1}
      >
        <Table
          {...props}
          rows={rows}
          view={view}
          focused={focused}
          first={first}
          end={Math.min(count, last)}
        />
      </div>
    </div>
  );
}

type TableProps<Row> = EndlessListProps<Row> & {
  readonly rows: PagedRows<Row>;
  readonly view: ListWindow;
  readonly focused: FocusedRow;
  readonly first: number;
  readonly end: number;
};

function Table<Row>(props: TableProps<Row>) {
  const { label, columns, keyOf, hrefOf, rows, view, focused, first, end } = props;
  const { count } = rows;
  // The row that Tab goes to: the one that had the focus, or the first on view when that is elsewhere.
  const isNear = focused.index >= first && focused.index < end;
  const tabbed = isNear ? focused.index : Math.min(view.top, count - 1);
  return (
    <div
      role="table"
      aria-label={label}
      aria-rowcount={rows.isComplete ? count + 1 : -1}
      style={widthsOf(columns)}
    >
      <div role="rowgroup" class="head">
        <div role="row" aria-rowindex={1} class="grid">
          {columns.map((column) => (
            <div key={column.name} role="columnheader" class={headOf(column)}>
              {column.name}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" class="body" style={{ height: `${view.spanPx}px` }}>
        {indexes(first, end).map((index) => {
          const row = rows.at(index);
          return (
            <ListRow
              key={row === undefined ? `row ${index}` : keyOf(row)}
              index={index}
              topPx={(index - view.base) * view.rowPx}
              row={row}
              columns={columns}
              href={row === undefined ? undefined : hrefOf?.(row)}
              isTabbed={index === tabbed}
              onFocus={() => focused.set(index)}
            />
          );
        })}
      </div>
    </div>
  );
}

interface FocusedRow {
  readonly index: number;
  readonly set: (index: number) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** The row that the keys go on from. */
function useFocusedRow(scroller: RefObject<HTMLElement | null>, view: ListWindow, count: number): FocusedRow {
  const [index, set] = useState(0);
  const isWanted = useRef(false);
  // With every drawing: the row may have to be loaded first.
  useLayoutEffect(() => {
    if (!isWanted.current) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
    const target = row?.hasAttribute('tabindex') ? row : row?.querySelector<HTMLElement>('a');
    if (target == null) return;
    isWanted.current = false;
    target.focus({ preventScroll: true });
    // It may have grown.
    row?.scrollIntoView({ block: 'nearest' });
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const next = indexAfterKey(event, index, count, view.onView);
    if (next === undefined) return;
    event.preventDefault();
    isWanted.current = true;
    set(next);
    view.show(next);
  };
  return { index, set, onKeyDown };
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
    if (!isFirst.current) void rows.refresh();
    isFirst.current = false;
  }, [tick]);
  useRetry(failure, () => void rows.refresh());
  // A page has come.
  useEffect(() => setFailure(undefined), [rows.version.value]);
  return { rows, failure };
}

function indexes(first: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset);
}
