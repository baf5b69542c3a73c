/** The effect of a table: how much of it changes what, from what to what, and what is wrong with which lines. */
import type { ComponentChildren } from 'preact';
import type { Schema } from '../../api/call-types.ts';
import { Fact, Facts } from '../../parts/facts.tsx';
import { Scrolled } from '../../parts/list/scrolled.tsx';
import { type SmallColumn, SmallTable } from '../../parts/list/small-table.tsx';
import { counted, Money } from '../../parts/money.tsx';
import { type Tier, tierWords } from '../prices/price-tiers.ts';
import { NameOf } from '../shell/known-names.tsx';
import { type TableAnswer, withoutQuery } from './table-upload.ts';

type BadLine = Schema<'BadImportLine'>;
type PriceLine = Schema<'PriceImportLine'>;
type ProductLine = Schema<'ImportedProduct'>;

interface Changed {
  readonly line: number;
  readonly sku: string;
  readonly isNew: boolean;
  readonly isFirst: boolean;
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

const ERRORS: readonly SmallColumn<BadLine>[] = [
  { name: 'Line', cell: ({ line }) => line },
  { name: 'Column', cell: ({ column }) => <code>{column}</code> },
  { name: 'What is wrong', cell: ({ message }) => withoutQuery(message), isLong: true },
];

const CHANGES: readonly SmallColumn<Changed>[] = [
  { name: 'Line', cell: ({ line, isFirst }) => isFirst && line },
  { name: 'SKU', cell: ({ sku, isFirst }) => isFirst && sku, isLong: true },
  { name: 'Field', cell: ({ field }) => <code>{field}</code> },
  { name: 'Old', cell: ({ from, isNew, isFirst }) => (isNew ? isFirst && 'new' : words(from)), isLong: true },
  { name: 'New', cell: ({ to }) => words(to), isLong: true },
];

const PRICES: readonly SmallColumn<PriceLine>[] = [
  { name: 'Line', cell: ({ line }) => line },
  { name: 'Product', cell: ({ productId }) => <NameOf kind="product" id={productId} />, isLong: true },
  {
    name: 'Old',
    align: 'end',
    cell: ({ oldPriceUsdt }) => (oldPriceUsdt === null ? 'new' : <Money amount={oldPriceUsdt} />),
  },
  { name: 'New', align: 'end', cell: ({ newPriceUsdt }) => <Money amount={newPriceUsdt} /> },
  { name: 'Newest cost', align: 'end', cell: (line) => <Cost {...line} /> },
];

function Cost({ newPriceUsdt, newestCostUsdt }: PriceLine) {
  if (newestCostUsdt === null) return null;
  const isBelow = newPriceUsdt < newestCostUsdt;
  return (
    <span class={isBelow ? 'is-low' : undefined}>
      <Money amount={newestCostUsdt} />
      {isBelow && ' above the price'}
    </span>
  );
}

interface ReportProps {
  readonly answer: TableAnswer;
  /** Whether it has happened. */
  readonly isDone: boolean;
}

export function TableReport({ answer, isDone }: ReportProps) {
  const { created, updated, unchanged, errorCount, errors, lines = [] } = answer;
  const names = isDone ? (['New', 'Changed'] as const) : (['Would be new', 'Would change'] as const);
  return (
    <div class="report">
      <div role="status">
        <Facts>
          <Fact name={names[0]} is={counted(created)} />
          <Fact name={names[1]} is={counted(updated)} />
          <Fact name="As they are" is={counted(unchanged)} />
          <Fact
            name={isDone ? 'Left out' : 'Bad lines'}
            is={counted(errorCount)}
            class={errorCount > 0 ? 'is-low' : ''}
          />
        </Facts>
      </div>
      {errors.length > 0 && (
        <Rows label="Bad lines" all={errorCount} shown={errors.length}>
          <SmallTable
            label="Errors"
            columns={ERRORS}
            rows={errors}
            keyOf={({ line, column }) => `${line} ${column}`}
          />
        </Rows>
      )}
      {lines.length > 0 && (
        <Rows label="Changes of the table" all={created + updated} shown={lines.length}>
          <Lines lines={lines} />
        </Rows>
      )}
    </div>
  );
}

function Lines({ lines }: { readonly lines: readonly PriceLine[] | readonly ProductLine[] }) {
  const [first] = lines;
  if (first !== undefined && 'newPriceUsdt' in first)
    return (
      <SmallTable
        label="Prices"
        columns={PRICES}
        rows={lines as readonly PriceLine[]}
        keyOf={({ line }) => line}
      />
    );
  const rows = (lines as readonly ProductLine[]).flatMap(({ line, sku, productId, changes }) =>
    changes.map((change, place) => ({
      ...{ line, sku, isNew: productId === undefined, isFirst: place === 0 },
      ...change,
    })),
  );
  return (
    <SmallTable
      label="Changes"
      columns={CHANGES}
      rows={rows}
      keyOf={({ line, field }) => `${line} ${field}`}
    />
  );
}

interface RowsProps {
  readonly label: string;
  readonly all: number;
  readonly shown: number;
  readonly children: ComponentChildren;
}

function Rows({ label, all, shown, children }: RowsProps) {
  return (
    <>
      <Scrolled label={label}>{children}</Scrolled>
      {all > shown && <p class="hint">{`And ${counted(all - shown)} more.`}</p>}
    </>
  );
}

/** A value of a product's field as people read it. */
function words(value: unknown): string {
  if (value === null || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : tierWords(value as readonly Tier[]);
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value);
  return entries.length === 0 ? 'none' : entries.map(([name, is]) => `${name}: ${is}`).join(', ');
}
