/**
 * Two people have changed the same product, and this one's save was refused: both versions side by side, field by field.
 *
 * Fields that only one of the two has changed are taken from him, unless one chooses otherwise; fields that both have
 * changed must be chosen. Nothing is saved before that, and the save names the state that was shown here.
 */
import { useRef, useState } from 'preact/hooks';
import { CommandLine } from '../../parts/command-line.tsx';
import { ModalDialog } from '../../parts/dialogs/modal-dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import {
  DRAFT_FIELDS,
  type Draft,
  type DraftField,
  type Edits,
  isDraftField,
  updateCommand,
  wordsOf,
} from './product-draft.ts';
import type { LoadedProduct } from './product-loaded.ts';

type Side = 'mine' | 'theirs';

interface ConflictProps {
  readonly base: Draft;
  readonly edits: Edits;
  readonly theirs: LoadedProduct;
  readonly reason: string;
  readonly isSaving: boolean;
  readonly failure: unknown;
  readonly onChoose: (kept: Edits) => void;
  readonly onClose: () => void;
}

export function ProductConflict(props: ConflictProps) {
  const { base, edits, theirs, reason, isSaving, failure, onChoose, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const mine: Draft = { ...base, ...edits };
  const [chosen, setChosen] = useState<Partial<Record<DraftField, Side>>>(() =>
    presetSides(base, edits, theirs.draft),
  );
  const fields = Object.keys(DRAFT_FIELDS)
    .filter(isDraftField)
    .filter((field) => mine[field] !== theirs.draft[field]);
  const kept: Edits = Object.fromEntries(
    fields.filter((field) => chosen[field] === 'mine').map((field) => [field, mine[field]]),
  );
  const submit = (event: Event) => {
    event.preventDefault();
    onChoose(kept);
  };
  const chooseAll = (side: Side) => setChosen(Object.fromEntries(fields.map((field) => [field, side])));
  return (
    <ModalDialog name="Changed meanwhile" dialog={dialog} isWide onClose={onClose}>
      <form onSubmit={submit} aria-busy={isSaving}>
        <p>
          Somebody else has saved this product since you began. Nothing of yours is saved yet: choose what it
          shall be.
        </p>
        <div class="versions">
          <div class="version-head" aria-hidden="true">
            <span />
            <span>Yours</span>
            <span>As it is now</span>
          </div>
          {fields.map((field) => (
            <Choice
              key={field}
              field={field}
              mine={mine[field]}
              theirs={theirs.draft[field]}
              chosen={chosen[field]}
              onChoose={(side) => setChosen((before) => ({ ...before, [field]: side }))}
            />
          ))}
        </div>
        {failure !== undefined && <ErrorNotice failure={failure} />}
        {Object.keys(kept).length > 0 && (
          <CommandLine text={updateCommand(theirs.product.productId, theirs.draft, kept, reason)} />
        )}
        <div class="buttons">
          <button type="button" onClick={() => chooseAll('mine')}>
            All mine
          </button>
          <button type="button" onClick={() => chooseAll('theirs')}>
            All as it is now
          </button>
          <button type="button" disabled={isSaving} onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isSaving}>
            Save chosen
          </button>
        </div>
      </form>
    </ModalDialog>
  );
}

interface ChoiceProps {
  readonly field: DraftField;
  readonly mine: string;
  readonly theirs: string;
  readonly chosen: Side | undefined;
  readonly onChoose: (side: Side) => void;
}

function Choice({ field, mine, theirs, chosen, onChoose }: ChoiceProps) {
  const sides = [
    ['mine', 'Yours', mine],
    ['theirs', 'As it is now', theirs],
  ] as const;
  return (
    <fieldset class="version">
      <legend>{DRAFT_FIELDS[field]}</legend>
      {sides.map(([side, name, text]) => (
        <label key={side} class={chosen === side ? 'side-choice is-chosen' : 'side-choice'}>
          <input
            type="radio"
            name={`version-${field}`}
            required
            checked={chosen === side}
            aria-label={`${DRAFT_FIELDS[field]}: ${name}`}
            onInput={() => onChoose(side)}
          />
          <span class="side-name">{name}</span>
          <span class="side-text">{text === '' ? <i>nothing</i> : wordsOf(field, text)}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** The preset side of each field. Fields that both have changed have none. */
function presetSides(base: Draft, edits: Edits, theirs: Draft): Partial<Record<DraftField, Side>> {
  const sides: Partial<Record<DraftField, Side>> = {};
  for (const field of Object.keys(DRAFT_FIELDS).filter(isDraftField)) {
    if (edits[field] === undefined) sides[field] = 'theirs';
    else if (theirs[field] === base[field]) sides[field] = 'mine';
  }
  return sides;
}
