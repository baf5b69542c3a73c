/** Volume prices, a row each: from how many items on, and what one costs then. */
import { useId } from 'preact/hooks';
import { tierRows } from './product-draft.ts';

/** As the API bounds them. */
const MOST_TIERS = 32;

interface TierRowsProps {
  /** `10:3.2`, one a line. */
  readonly text: string;
  readonly isDisabled: boolean;
  readonly onText: (text: string) => void;
}

export function TierRows({ text, isDisabled, onText }: TierRowsProps) {
  const legendId = useId();
  const rows = tierRows(text);
  const write = (next: readonly (readonly [string, string])[]) =>
    onText(next.map((row) => row.join(':')).join('\n'));
  const change = (index: number, row: readonly [string, string]) => write(rows.with(index, row));
  return (
    <fieldset class="tier-rows" disabled={isDisabled}>
      <legend id={legendId}>Volume prices</legend>
      {rows.map(([quantity, price], index) => (
        <div class="tier" key={index}>
          <label>
            <span>From</span>
            <input
              type="number"
              min={2}
              step={1}
              required
              value={quantity}
              onInput={({ currentTarget }) => change(index, [currentTarget.value, price])}
            />
          </label>
          <label>
            <span>USDT each</span>
            <input
              type="text"
              inputMode="decimal"
              pattern="[0-9]+(\.[0-9]{1,6})?"
              title="A number with up to 6 decimals, such as 3.25"
              required
              value={price}
              onInput={({ currentTarget }) => change(index, [quantity, currentTarget.value])}
            />
          </label>
          <button
            type="button"
            class="small"
            aria-label={`Remove volume price ${index + 1}`}
            onClick={() => write(rows.toSpliced(index, 1))}
          >
            Remove
          </button>
        </div>
      ))}
      {rows.length < MOST_TIERS && (
        <button type="button" class="small" onClick={() => write([...rows, ['', '']])}>
          Add volume price
        </button>
      )}
    </fieldset>
  );
}
