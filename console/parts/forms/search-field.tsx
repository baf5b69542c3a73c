/** The search of a list. */
import { useId } from 'preact/hooks';
import { useTypedQuery } from './typed-query.ts';

/** `name` is of the query's field. */
export function SearchField({ label, name = 'search' }: { readonly label: string; readonly name?: string }) {
  const id = useId();
  const { typed, setTyped } = useTypedQuery(name);
  return (
    <div class="search">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="search"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </div>
  );
}
