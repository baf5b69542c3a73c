/**
 * Which rows of an endless list are on view, and where each stands in its box.
 *
 * A browser can't lay out a box as high as a million rows, so the box has `SPAN_ROWS` of them, from `base` on. When the
 * view comes near an end of the box, `base` moves, and the place in the box with it, so that nothing is seen to move.
 */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

const SPAN_ROWS = 100_000;
const EDGE_ROWS = SPAN_ROWS / 10;
/** Until a row has been measured. */
const ROW_PX = 36;

interface Place {
  /** The first row of the box. */
  readonly base: number;
  /** How far the box is scrolled. */
  readonly topPx: number;
}

export interface ListWindow {
  readonly rowPx: number;
  /** The first row on view, and how many there is room for. */
  readonly top: number;
  readonly onView: number;
  readonly base: number;
  /** The height of the box. */
  readonly spanPx: number;
  readonly onScroll: () => void;
  /** Scrolls as little as is needed to have the row on view. */
  readonly show: (index: number) => void;
  readonly toTop: () => void;
}

export function useListWindow(scroller: RefObject<HTMLElement | null>, count: number): ListWindow {
  const [place, setPlace] = useState<Place>({ base: 0, topPx: 0 });
  const [rowPx, setRowPx] = useState(ROW_PX);
  const [roomPx, setRoomPx] = useState(600);
  const isToScroll = useRef(false);
  const hasRows = count > 0;

  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return undefined;
    const measure = () => {
      // The one with the focus may be higher.
      const rowHeight = heightOf(box, '.row:not(:focus-within)');
      if (rowHeight > 0) setRowPx(rowHeight);
      setRoomPx(box.clientHeight - heightOf(box, '.head'));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, [hasRows]);

  // After the box has its new rows and height, so that it can be scrolled there.
  useLayoutEffect(() => {
    if (!isToScroll.current || scroller.current === null) return;
    isToScroll.current = false;
    scroller.current.scrollTop = place.topPx;
  }, [place]);

  const moveTo = (next: Place) => {
    isToScroll.current = true;
    setPlace(next);
  };
  const { base } = place;
  const onScroll = () => {
    if (isToScroll.current || scroller.current === null) return;
    const topPx = scroller.current.scrollTop;
    const next = baseFor(base, Math.floor(topPx / rowPx), count);
    if (next === base) setPlace({ base, topPx });
    else moveTo({ base: next, topPx: topPx - (next - base) * rowPx });
  };
  const show = (index: number) => {
    const isInBox = index >= base && index < base + SPAN_ROWS;
    const from = isInBox ? base : Math.max(0, index - SPAN_ROWS / 2);
    const topPx = place.topPx + (base - from) * rowPx;
    const rowTopPx = (index - from) * rowPx;
    const least = rowTopPx + rowPx - roomPx;
    moveTo({ base: from, topPx: Math.max(0, Math.min(rowTopPx, Math.max(topPx, least))) });
  };
  return {
    rowPx,
    top: base + Math.floor(place.topPx / rowPx),
    onView: Math.ceil(roomPx / rowPx),
    base,
    spanPx: Math.min(count - base, SPAN_ROWS) * rowPx,
    onScroll,
    show,
    toTop: () => moveTo({ base: 0, topPx: 0 }),
  };
}

/** `row` is counted from `base`. */
function baseFor(base: number, row: number, count: number): number {
  if (row > SPAN_ROWS - EDGE_ROWS && count > base + SPAN_ROWS) return base + SPAN_ROWS / 2;
  if (row < EDGE_ROWS && base > 0) return Math.max(0, base - SPAN_ROWS / 2);
  return base;
}

function heightOf(box: HTMLElement, selector: string): number {
  return box.querySelector(selector)?.getBoundingClientRect().height ?? 0;
}
