/** A day in the address: the beginning or the end of a period. Days are of UTC, as statements and reports have them. */
import { useId } from 'preact/hooks';
import { queryField, setQuery } from '../shell/router.ts';

/** `name` is of the query's field, which the API takes as it is: `2026-10-31`. */
export function DateField({ label, name }: { readonly label: string; readonly name: string }) {
  const id = useId();
  return (
    <div>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="date"
        max="9999-12-31"
        value={queryField(name)}
        onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
      />
    </div>
  );
}
