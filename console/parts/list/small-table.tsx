/**
 * A table of a few rows, all of them in the page: reports, settings, nodes. On a narrow screen its cells stand below each
 * other, each after its column's name. What may have more rows than one reads is an `EndlessList`.
 */
import type { Column } from './endless-list.tsx';

export interface SmallColumn<Row> extends Pick<Column<Row>, 'name' | 'cell' | 'align'> {
  /** Texts that may be long, and break anywhere. */
  readonly isLong?: boolean;
}

interface SmallTableProps<Row> {
  /** The table's name for screen readers. */
  readonly label: string;
  readonly columns: readonly SmallColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
}

export function SmallTable<Row>({ label, columns, rows, keyOf }: SmallTableProps<Row>) {
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ name, align }) => (
            <th key={name} scope="col" class={align && 'at-end'}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ name, cell, align, isLong }, place) => (
              <td
                key={name}
                data-name={place === 0 ? undefined : name}
                class={align ? 'at-end' : isLong ? 'is-long' : undefined}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
