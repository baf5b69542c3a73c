/** The search of a list: what is typed goes into the address when the typing rests. */
import { useEffect, useId, useState } from 'preact/hooks';
import { queryField, setQuery } from '../shell/router.ts';

const REST_MS = 250;

/** `name` is of the query's field. */
export function SearchField({ label, name = 'search' }: { readonly label: string; readonly name?: string }) {
  const id = useId();
  const inAddress = queryField(name);
  const [typed, setTyped] = useState(inAddress);
  // Back and forward change the address, and so what is in the field.
  useEffect(() => setTyped(inAddress), [inAddress]);
  useEffect(() => {
    if (typed.trim() === inAddress) return undefined;
    const timer = setTimeout(() => setQuery({ [name]: typed.trim() }, 'typed'), REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
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
