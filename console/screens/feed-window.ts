/** Which lines of the feed are in the page, which one has the focus, and how both stay while lines come above them. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { indexAfterKey } from '../parts/list-keys.ts';
import type { Fact } from './fact.ts';

const MARGIN_ROWS = 8;
const DEFAULT_ROW_PX = 32;

type Scroller = RefObject<HTMLDivElement | null>;

/** Which rows are in the page: those on view, and some beside them. */
export function useShown(scroller: Scroller, rows: readonly Fact[]) {
  const [rowPx, setRowPx] = useState(DEFAULT_ROW_PX);
  const [view, setView] = useState({ topPx: 0, heightPx: 600 });
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
  const onView = Math.ceil(view.heightPx / rowPx);
  const top = Math.floor(view.topPx / rowPx);
  const first = Math.max(0, top - MARGIN_ROWS);
  const onScroll = () =>
    setView((before) => ({ ...before, topPx: scroller.current?.scrollTop ?? before.topPx }));
  return {
    ...{ rowPx, top, onView, first, onScroll },
    shown: rows.slice(first, top + onView + MARGIN_ROWS),
    isDown: view.topPx > 0,
  };
}

interface RowMeasures {
  readonly rowPx: number;
  readonly onView: number;
}

/** The line that the keys go on from: by its number, for lines move down. */
export function useFocusedFact(scroller: Scroller, rows: readonly Fact[], { rowPx, onView }: RowMeasures) {
  const [seq, set] = useState(0);
  const isWanted = useRef(false);
  // With every drawing: the row may not be in the page before.
  useLayoutEffect(() => {
    if (!isWanted.current) return;
    const button = scroller.current?.querySelector<HTMLElement>(`[data-seq="${seq}"] button`);
    if (button == null) return;
    isWanted.current = false;
    button.focus({ preventScroll: true });
  });
  const goTo = (index: number) => {
    const box = scroller.current;
    if (box === null) return;
    const [fromPx, roomPx] = [index * rowPx, box.clientHeight - 2 * rowPx];
    if (fromPx < box.scrollTop) box.scrollTop = fromPx;
    else if (fromPx > box.scrollTop + roomPx) box.scrollTop = fromPx - roomPx;
    isWanted.current = true;
    set(rows[index]?.seq ?? 0);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const active = rows.findIndex((fact) => fact.seq === seq);
    const next = indexAfterKey(event, Math.max(0, active), rows.length, onView);
    if (next === undefined) return;
    event.preventDefault();
    goTo(next);
  };
  return { seq, set, goTo, onKeyDown };
}

/** What somebody looks at stays where it is when rows come above it. */
export function useKeptPlace(scroller: Scroller, rows: readonly Fact[], rowPx: number): void {
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
