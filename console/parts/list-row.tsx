/** One row of an endless list, and the columns that it has. */
import type { ComponentChildren } from 'preact';
import { goTo } from '../shell/router.ts';

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

export function classOf<Row>({ align, isWideOnly }: Column<Row>): string {
  return `cell${align === 'end' ? ' at-end' : ''}${isWideOnly === true ? ' wide-only' : ''}`;
}
