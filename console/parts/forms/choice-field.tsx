/** A filter with a few values: what is chosen is in the address; the first, which is empty, is all. */
import { useId } from 'preact/hooks';
import { queryField, setQuery } from '../../shell/router.ts';

export interface ChoiceFieldProps {
  readonly label: string;
  /** The name of the query's field. */
  readonly name: string;
  readonly options: readonly (readonly [value: string, words: string])[];
}

export function ChoiceField({ label, name, options }: ChoiceFieldProps) {
  const id = useId();
  const chosen = queryField(name);
  // An address may have one that is not among them.
  const isKnown = options.some(([value]) => value === chosen);
  return (
    <div>
      <label for={id}>{label}</label>
      <select
        id={id}
        value={chosen}
        onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
      >
        {!isKnown && <option value={chosen}>{chosen}</option>}
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}
