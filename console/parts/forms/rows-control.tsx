/** A field of rows of two texts each: one adds as many as there may be. */
import { useId } from 'preact/hooks';
import type { RowsOfTwo } from './field.tsx';
import { type Row, rowsOf, textOfRows } from './rows-text.ts';

interface RowsControlProps {
  readonly legend: string;
  readonly control: RowsOfTwo;
  readonly hint: string | undefined;
  readonly problem: string | undefined;
  readonly text: string;
  readonly isDisabled: boolean;
  readonly onText: (text: string) => void;
}

export function RowsControl(props: RowsControlProps) {
  const { legend, control, hint, problem, text, isDisabled, onText } = props;
  const { noun, most, parts } = control;
  const saidId = useId();
  const rows = rowsOf(text);
  const write = (next: readonly Row[]) => onText(textOfRows(next));
  const change = (index: number, [first, second]: Row, part: number, typed: string) =>
    write(rows.with(index, part === 0 ? [typed, second] : [first, typed]));
  return (
    <fieldset class="row-fields" disabled={isDisabled} aria-describedby={saidId}>
      <legend>{legend}</legend>
      {rows.map((row, index) => (
        <div class="row-field" key={index}>
          {parts.map(({ label, attributes, options }, part) => {
            const id = `${saidId}-${index}-${part}`;
            const common = {
              ...attributes,
              id,
              required: true,
              value: row[part],
              onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
                change(index, row, part, currentTarget.value),
            };
            return (
              <div class="row-part" key={label}>
                <label for={id}>{label}</label>
                {options === undefined ? (
                  <input {...common} autocomplete="off" />
                ) : (
                  <select {...common}>
                    {options.map(([option, words]) => (
                      <option key={option} value={option}>
                        {words}
                      </option>
                    ))}
                  </select>
                )}
              </div>
            );
          })}
          <button
            type="button"
            class="small"
            aria-label={`Remove ${noun} ${index + 1}`}
            onClick={() => write(rows.toSpliced(index, 1))}
          >
            Remove
          </button>
        </div>
      ))}
      {rows.length < most && (
        <button type="button" class="small" onClick={() => write([...rows, ['', '']])}>
          {`Add ${noun}`}
        </button>
      )}
      <div id={saidId}>
        {problem !== undefined && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {hint !== undefined && <p class="hint">{hint}</p>}
      </div>
    </fieldset>
  );
}
