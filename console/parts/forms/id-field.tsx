/** A filter by an id. A text that is no id stays in the field, which says so, and filters nothing. */
import { useId } from 'preact/hooks';
import { idOf } from '../../shell/router.ts';
import { useTypedQuery } from './typed-query.ts';

/** `name` is of the query's field. */
export function IdField({ label, name }: { readonly label: string; readonly name: string }) {
  const id = useId();
  const isUsable = (text: string) => text === '' || idOf(text) !== undefined;
  const { typed, setTyped } = useTypedQuery(name, isUsable);
  const isWrong = !isUsable(typed.trim());
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
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? `${id}-problem` : undefined}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {isWrong && (
        <p class="problem" id={`${id}-problem`} role="status">
          Not used: an id is a whole number, such as 7.
        </p>
      )}
    </div>
  );
}
