/** One row of an endless list, and the columns that it has. */
import type { ComponentChildren } from 'preact';
import { goTo } from '../../shell/router.ts';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** For CSS grid; default: an equal share of what is left. */
  readonly width?: string;
  /** Numbers stand at the end. */
  readonly align?: 'end';
  /**
   * The place when the list is too narrow for columns, and each row is some lines: its line, from 1, and its part of
   * it. `first` and `last` are as wide as their text, `middle` is between them, `most` is all but `last`. Cells in the
   * first line need no name; before others stands the column's.
   */
  readonly narrow: readonly [line: number, part: 'first' | 'middle' | 'last' | 'most' | 'all'];
}

/** A cell's text that may have no room: its title has all of it. */
export function titled(text: string | null | undefined) {
  return <span title={text ?? ''}>{text}</span>;
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

/**
 * A click anywhere on it opens it; the link in its first cell is for the keyboard, and to open it elsewhere. A row that opens
 * nothing takes the focus itself: by a key, a click or a touch. The row with the focus shows all of its texts.
 */
export function ListRow<Row>({ index, topPx, row, columns, href, isTabbed, onFocus }: ListRowProps<Row>) {
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
      tabIndex={href !== undefined ? undefined : isTabbed ? 0 : -1}
      onFocusIn={onFocus}
      onClick={open}
    >
      {columns.map((column, place) => {
        const content = row === undefined ? '' : column.cell(row);
        return (
          <div key={column.name} role="cell" {...cellOf(column)}>
            {place === 0 && href !== undefined ? (
              <a href={href} tabIndex={isTabbed ? 0 : -1}>
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

/** How a cell of the column is marked for the style sheet. */
function cellOf<Row>({ name, align, narrow: [line, part] }: Column<Row>) {
  return {
    class: `cell in-${part}${align === 'end' ? ' at-end' : ''}`,
    style: { '--cell-line': String(line) },
    'data-name': line === 1 ? undefined : name,
  };
}

export function headOf<Row>({ align }: Column<Row>): string {
  return align === 'end' ? 'cell at-end' : 'cell';
}

/** For CSS grid. */
export function widthsOf<Row>(columns: readonly Column<Row>[]) {
  return { '--columns': columns.map(({ width = 'minmax(0, 1fr)' }) => width).join(' ') };
}
