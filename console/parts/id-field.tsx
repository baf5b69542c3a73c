/** A filter by an id: only digits can be typed. */
import { useId } from 'preact/hooks';
import { useTypedQuery } from './typed-query.ts';

/** More can't be told apart. */
const MOST_DIGITS = 15;

/** `name` is of the query's field. */
export function IdField({ label, name }: { readonly label: string; readonly name: string }) {
  const id = useId();
  const { typed, setTyped } = useTypedQuery(name);
  return (
    <div class="id-filter">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        inputMode="numeric"
        autocomplete="off"
        placeholder="id"
        value={typed}
        onInput={({ currentTarget }) => {
          const digits = currentTarget.value.replace(/\D/g, '').replace(/^0+/, '').slice(0, MOST_DIGITS);
          currentTarget.value = digits;
          setTyped(digits);
        }}
      />
    </div>
  );
}
